"""The tables and figures of argument judging; a block of `arguments.blocks` asks for them."""

from __future__ import annotations

from typing import Literal

from plumbline.tables.spec import TableSpec

DATA = "Argument judging: what it rests on"
GAPS = "Argument judging: paths"
SEPARATION = "Argument judging: right and wrong"
REFERENCES = "Argument judging: references"
CONTROLLED = "Argument judging: controlled tests"
CALLS = "Argument judging: whole calls"
EXAMPLES = "Argument judging: examples"
"""Categories of the report."""

ABOUT = "Argument judging"
"""Category of the part's own front page and of the DeRef paper's claims."""


def _spec(
    name: str,
    title: str,
    about: str,
    item: str,
    question: str,
    builder: str,
    kind: Literal["table", "figure"] = "table",
) -> TableSpec:
    return TableSpec(name, title, about, item, question, kind, False, builder, unit="argument")


SPECS = (
    _spec(
        "path_rates",
        "Where values come from, and how many are right",
        "Where the values of each data set come from, and the share that is right.",
        "D8",
        DATA,
        "argument_counts:rate_table",
    ),
    _spec(
        "argument_coverage",
        "Judgments asked for and read",
        "How many judgments each cell rests on, and why the rest are missing.",
        "D13",
        DATA,
        "argument_counts:coverage_table",
    ),
    _spec(
        "argument_shortened",
        "Values whose input lost history",
        "How many values show less history than wanted, and what they change.",
        "D11, D12",
        DATA,
        "argument_shortened:shortened_table",
    ),
    _spec(
        "argument_cost",
        "What judging costs",
        "Prompts, tokens and time of every input and reference.",
        "D48",
        DATA,
        "argument_cost:cost_table",
    ),
    _spec(
        "argument_noise",
        "Noise between repeated askings",
        "Whether a judge that is asked again says the same.",
        "D13",
        DATA,
        "argument_counts:noise_table",
    ),
    _spec(
        "argument_models",
        "Models of the DeRef paper",
        "Judges and deriver of the paper, with their settings.",
        "D49",
        DATA,
        "argument_models:models_table",
    ),
    _spec(
        "derivation_gaps",
        "The derivation gap",
        "How much less often right values out of view are accepted, by path.",
        "D18",
        GAPS,
        "argument_gaps:gap_table",
    ),
    _spec(
        "gap_bars",
        "The derivation gap out of view",
        "The gap of every judge and data set as bars.",
        "D18",
        GAPS,
        "argument_gaps:gap_figure",
        kind="figure",
    ),
    _spec(
        "gap_rates",
        "The gap at other acceptance rates",
        "Whether the gap depends on how strict the threshold is.",
        "D19",
        GAPS,
        "argument_gaps:rate_table",
    ),
    _spec(
        "path_changes",
        "What an input changes on each path",
        "Gap and AUROC by path, an input against another.",
        "D24, D34",
        GAPS,
        "argument_gaps:change_table",
    ),
    _spec(
        "argument_auroc",
        "Telling right from wrong values",
        "How well each judge separates right from wrong values, by input.",
        "D21, D29, D30",
        SEPARATION,
        "argument_separation:auroc_table",
    ),
    _spec(
        "argument_effects",
        "What an input gains",
        "The difference that a reference, the full history or another input makes.",
        "D29, D31, D34, D37",
        SEPARATION,
        "argument_separation:effect_table",
    ),
    _spec(
        "argument_paths",
        "Telling right from wrong on one path",
        "AUROC among the values of one path.",
        "D21",
        SEPARATION,
        "argument_separation:path_table",
    ),
    _spec(
        "argument_acceptance",
        "Values accepted",
        "Right and wrong values that are accepted at 0.5 and at the judge's threshold.",
        "D21, D36",
        SEPARATION,
        "argument_separation:acceptance_table",
    ),
    _spec(
        "argument_deletion",
        "The gain after the worst deletion",
        "What is left of a gain without the wrong values that speak most for it.",
        "D43",
        SEPARATION,
        "argument_separation:deletion_table",
    ),
    _spec(
        "thinking_with_reference",
        "Thinking, with and without a reference",
        "Reference or none, thinking on or off.",
        "D33",
        SEPARATION,
        "argument_thinking:thinking_table",
    ),
    _spec(
        "against_thinking",
        "A reference against thinking",
        "Judges with a reference against one that thinks without.",
        "D35",
        SEPARATION,
        "argument_thinking:against_thinking_table",
    ),
    _spec(
        "argument_swap",
        "When the reference is wrong",
        "Whether judges follow a reference whose value was swapped for a wrong one.",
        "D42",
        REFERENCES,
        "argument_swap:swap_table",
    ),
    _spec(
        "swap_figure",
        "When the reference is wrong",
        "Acceptance before and after the swap as bars.",
        "D42",
        REFERENCES,
        "argument_swap:swap_figure",
        kind="figure",
    ),
    _spec(
        "value_only",
        "Only the value of the reference",
        "What is lost if the reference is nothing but its value.",
        "D32",
        REFERENCES,
        "argument_references:value_only_table",
    ),
    _spec(
        "named_values",
        "What references state",
        "How often references state the right value, or the wrong one under test.",
        "D16, D32, D36",
        REFERENCES,
        "argument_references:named_table",
    ),
    _spec(
        "relocation",
        "Values that were moved",
        "AUROC where the right value is in view, buried, or beside a near candidate.",
        "D22, D23, D28",
        CONTROLLED,
        "argument_tests:relocation_table",
    ),
    _spec(
        "relocation_figure",
        "Values that were moved",
        "The same as bars.",
        "D23",
        CONTROLLED,
        "argument_tests:relocation_figure",
        kind="figure",
    ),
    _spec(
        "near_candidates",
        "Wrong values seen before",
        "Whether a wrong value that stands earlier in the history scores higher.",
        "D28",
        CONTROLLED,
        "argument_tests:near_table",
    ),
    _spec(
        "reveal_placebo",
        "The lost step, shown",
        "Whether seeing the source of a value lifts its score, against a placebo.",
        "D25",
        CONTROLLED,
        "argument_reveal:reveal_table",
    ),
    _spec(
        "snippet_lift",
        "Snippets around wrong values",
        "Whether snippets of the history lift wrong values.",
        "D27",
        CONTROLLED,
        "argument_tests:snippet_table",
    ),
    _spec(
        "default_acceptance",
        "Right default values",
        "Whether judges accept defaults, with the schema's facts or a reference.",
        "D26",
        CONTROLLED,
        "argument_tests:default_table",
    ),
    _spec(
        "default_figure",
        "Right default values",
        "Acceptance of defaults that a reference states, as bars.",
        "D26",
        CONTROLLED,
        "argument_tests:default_figure",
        kind="figure",
    ),
    _spec(
        "call_levels",
        "Telling right from wrong calls, by input",
        "How well whole calls are judged by their arguments, under every input.",
        "D21, D44",
        CALLS,
        "argument_calls:level_table",
    ),
    _spec(
        "call_auroc",
        "Telling right from wrong calls",
        "Whole calls judged by their arguments, an input against another.",
        "D44, D45",
        CALLS,
        "argument_calls:call_table",
    ),
    _spec(
        "call_minimum",
        "Arguments or the whole call",
        "Whether the least argument score tells calls apart better than one question.",
        "D46",
        CALLS,
        "argument_calls:minimum_table",
    ),
    _spec(
        "lowest_argument",
        "Which argument is doubted most",
        "Whether a right call's lowest score falls on a value out of view.",
        "D47",
        CALLS,
        "argument_calls:lowest_table",
    ),
    _spec(
        "argument_examples",
        "Examples to look at",
        "Items that meet the conditions of the paper's examples, and a seeded draw.",
        "D50",
        EXAMPLES,
        "argument_examples:example_table",
    ),
)
