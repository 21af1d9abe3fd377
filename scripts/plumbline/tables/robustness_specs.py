"""The tables that ask whether a finding depends on how it is counted."""

from __future__ import annotations

from plumbline.tables.spec import MAIN, ROBUSTNESS, TableSpec


def _table(
    name: str, builder: str, title: str, about: str, item: str, question: str = ROBUSTNESS
) -> TableSpec:
    return TableSpec(
        name=name,
        title=title,
        about=about,
        item=item,
        question=question,
        kind="table",
        by_condition=False,
        builder=builder,
    )


SPECS = (
    _table(
        "degradation_checks",
        "degradation:checks_table",
        "Does alignment fall with every step of difficulty",
        "Whether alignment falls from tier to tier, for each pair of generator and judge.",
        "A22",
        MAIN,
    ),
    _table(
        "slopes",
        "degradation:slopes_table",
        "Slopes over difficulty",
        "How steeply alignment falls, by judge and by generator, and where it ends.",
        "A22",
        MAIN,
    ),
    _table(
        "decision_guide",
        "leaders:guide_table",
        "Which judge to take",
        "Best judge and runner-up for each condition and tier.",
        "A26",
        MAIN,
    ),
    _table(
        "winners",
        "leaders:winners_table",
        "Who leads each cell",
        "The best judge of every cell, and by how much it leads.",
        "A26",
        MAIN,
    ),
    _table(
        "weight_schemes",
        "weights:scheme_table",
        "Metrics that weigh differently",
        "Whether the ranking of the judges survives other weights of the metrics.",
        "A27",
    ),
    _table(
        "parameter_weight",
        "weights:parameter_table",
        "A lower weight for parameter structure",
        "Whether the ranking of the judges rests on parameter structure.",
        "A46",
    ),
    _table(
        "extra_keys",
        "extra_keys:calls_table",
        "Calls with extra argument keys",
        "How many calls have no fault but extra keys, and what their penalty costs.",
        "A47",
    ),
    _table(
        "extra_keys_alignment",
        "extra_keys:alignment_table",
        "Alignment if extra argument keys are forgiven",
        "Whether the ranking of the judges depends on the penalty for extra keys.",
        "A47",
    ),
    _table(
        "over_anchoring",
        "over_anchoring:counts_table",
        "Too lenient once the expected calls are shown",
        "How often a judge gives credit only because it sees the expected calls.",
        "A48",
    ),
    _table(
        "over_anchoring_list",
        "over_anchoring:list_table",
        "Every instance of over-anchoring of one judge",
        "Which scores these are, and what the judge said with and without the expected calls.",
        "A48",
    ),
    _table(
        "over_anchoring_cases",
        "anchoring_cases:cases_table",
        "Three cases of over-anchoring in full",
        "Three of them with query, calls and words of the judge.",
        "A48",
    ),
    _table(
        "binary_scale",
        "binary:binary_table",
        "Alignment on two marks",
        "What is left of the ranking if 0.5 is taken off the scale.",
        "A52",
    ),
    _table(
        "self_bias",
        "biases:self_bias_table",
        "Judges on their own plans",
        "Whether a judge is more lenient with plans that its own model wrote.",
        "A53",
    ),
    _table(
        "mismatch_share",
        "biases:mismatch_table",
        "Where judges and program differ",
        "On which metrics a judge differs from the program.",
        "A54",
    ),
    _table(
        "run_to_run",
        "noise:noise_table",
        "How much a number moves by itself",
        "The spread of a cell over replicates, decoding and prompts.",
        "A55",
    ),
)
