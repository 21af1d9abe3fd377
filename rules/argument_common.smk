# Answers the questions of the rules of argument judging: which files there are, and what must change for them.
from plumbline.config.argument_cells import ArgumentCell, ValueReferenceFile
from plumbline.config.argument_files import ArgumentFiles
from plumbline.config.argument_identity import ArgumentIdentity

data = ArgumentFiles(settings)
identity = ArgumentIdentity(settings, plan_identity.answerer)


def argument_cell(wildcards):
    return ArgumentCell(wildcards.judge, wildcards.dataset, wildcards.input)


def reference_file_of(wildcards):
    return ValueReferenceFile(wildcards.dataset, wildcards.reference, wildcards.model)


def judge_model(wildcards):
    return settings.arguments.judges[wildcards.judge].model


def lane_of_arguments(wildcards):
    return data.lane_cells(wildcards.judge, wildcards.block, wildcards.lane)


# what a judge, a deriver or a proposer reads of a state
SHOWN = ("arguments/contexts", "arguments/shown", "arguments/equality", "judging/blocks", "records/arguments")
# how an input is written and made to fit
WRITTEN = (
    "arguments/drafts",
    "arguments/inputs",
    "arguments/ladder",
    "arguments/occurrences",
    "arguments/question_text",
    "arguments/schema_facts",
    "arguments/tokens",
    "corpora/values",
    "models/tokens",
)

# how tables compare values with each other and with the texts of references
COMPARED = ("arguments/equality", "arguments/occurrences", "arguments/shown", "corpora/values")


wildcard_constraints:
    dataset="[a-z0-9_]+",
    input="[a-z0-9_]+",
    proposer="[a-z0-9_]+",


ARGUMENT_RESULTS = [spec for spec in TABLES.values() if spec.unit == "argument"]


def argument_result(spec, block):
    """The file of a table or figure of an argument block."""
    if spec.kind == "figure":
        return run.path("figure", block, spec.name)
    return run.path("table", block, spec.name, "html")


def argument_results(block):
    return [argument_result(TABLES[name], block) for name in settings.arguments.blocks[block].tables]


def argument_targets(block):
    """All that an argument block's target makes: references, judgments, tables and figures."""
    return [*data.block_references(block), *data.block_judgments(block), *argument_results(block)]


def argument_marks(spec):
    """How the report files a table or figure."""
    labels = {"result": spec.title, "form": spec.kind, "block": "{block}"}
    return {"category": spec.question, "labels": labels, "caption": f"../{spec.caption}"}


FRONT_ARGUMENTS = ("derivation_gaps", "argument_effects", "argument_swap", "argument_coverage")


def argument_csvs(names):
    """Tables of these names, with their name, in the order of the blocks."""
    blocks = settings.arguments.blocks.items() if settings.arguments else []
    return [
        (name, run.path("table", block, name, "csv"))
        for block, section in blocks
        for name in section.tables
        if name in names
    ]


ARGUMENT_CLAIMS = f"{run.folder}/tables/argument_claims.csv"
ARGUMENT_PAGE = f"{run.folder}/tables/arguments.html"
