from snakemake.utils import min_version

min_version("9.20")

if not workflow.configfiles:  # --configfile replaces the default, never merges with it

    configfile: "config/config.yaml"


report: "resources/captions/workflow.rst"


include: "rules/common.smk"  # reads the config once, typed; owns every path; everything else asks it
include: "rules/synthesis.smk"  # domain labels -> records, if a model writes any
include: "rules/corpus.smk"  # sources -> records
include: "rules/rewrites.smk"  # records -> medium and hard queries
include: "rules/validation.smk"  # do the rewrites keep their calls, and are they harder?
include: "rules/plans.smk"  # records -> plans -> scores
include: "rules/references.smk"  # records -> corrupted and derived references, for the conditions that show them
include: "rules/verdicts.smk"  # plans -> ask -> verdicts, for every plan cell
include: "rules/released.smk"  # or both plans and verdicts from the authors' released files
include: "rules/argument_common.smk"  # the same for argument judging
include: "rules/argument_datasets.smk"  # data sets -> items
include: "rules/argument_references.smk"  # items -> references, for the inputs that show them
include: "rules/judgments.smk"  # items, references -> ask -> judgments, for every argument cell
include: "rules/argument_tables.smk"  # judgments -> tables, figures, targets
include: "rules/argument_report.smk"  # their front page, and the claims of the DeRef paper
include: "rules/study.smk"  # scored plans -> a sample and the sheets for annotators
include: "rules/tables.smk"  # scores, verdicts -> tables, figures
include: "rules/corpus_tables.smk"  # records, rewrites, opinions -> tables, figures
include: "rules/report.smk"  # what `snakemake --report` shows


localrules:
    all,


rule all:
    default_target: True
    input:
        run.targets(),
        rules.arguments.input,
