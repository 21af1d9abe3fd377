"""What each number of the paper's text says, and where a run gets its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from plumbline.tables import claim_corpus as corpus
from plumbline.tables import claim_numbers as numbers
from plumbline.tables import claim_studies as studies
from plumbline.tables.claims import Found, NotRunError, Results
from plumbline.tables.published import GENERATORS

Number = Callable[[Results], Found]


def unmeasured(why: str) -> Number:
    """Say of a number why no run has it."""

    def number(results: Results) -> Found:
        raise NotRunError(why)

    return number


PEOPLE = unmeasured("no annotation of this kind is in the run")
EXAMPLE = unmeasured("an example that the paper prints; its record is not named")
REMARK = unmeasured("a remark of the paper, which nothing measures")

SINGLE: dict[tuple[str, str, str], tuple[str, Number, str]] = {
    ("A1", "records", ""): ("records", numbers.records, ""),
    ("A1", "rows_three_tiers", ""): ("records times tiers", numbers.rows, ""),
    ("A1", "domains", ""): ("domains", numbers.domains, ""),
    ("A1", "tools_per_record", ""): ("tools of a record", corpus.tools_per_record, "structure_stats"),
    ("A1", "tools_per_record (earlier draft, methodology)", ""): (
        "tools of a record, as the draft has it",
        corpus.tools_per_record,
        "structure_stats",
    ),
    ("A1", "topologies", ""): ("topologies", numbers.topologies, ""),
    ("A17", "prometheus_2_alignment_below_six_judges", ""): (
        "alignment of the six judges minus that of Prometheus-2, each condition",
        numbers.prometheus_gap,
        "alignment",
    ),
    ("A19", "factorial_cells", ""): (
        "cells of generator, judge and tier",
        numbers.factorial_cells,
        "alignment_intervals",
    ),
    ("A21", "ci_half_width_upper_bound", "llama_3_3_70b"): (
        "largest half width of an interval, Llama-3.3-70B",
        partial(numbers.half_width, ("llama_3_3_70b",)),
        "alignment_intervals",
    ),
    ("A21", "ci_half_width_upper_bound", "other four generators"): (
        "largest half width of an interval, the other generators",
        partial(numbers.half_width, tuple(name for name in GENERATORS if name != "llama_3_3_70b")),
        "alignment_intervals",
    ),
    ("A21", "bootstrap_resamples", ""): ("resamples of an interval", numbers.resamples, ""),
    ("A22", "monotone_pairs", "both conditions"): (
        "pairs of generator and judge whose alignment falls strictly, each condition",
        numbers.monotone_pairs,
        "degradation_checks",
    ),
    ("A22", "slope_ratio_without_over_with", ""): (
        "slope without the expected calls over slope with them",
        numbers.slope_ratio,
        "slopes",
    ),
    ("A22", "hard_minus_easy", "with_gt"): (
        "hard minus easy with the expected calls, every judge",
        partial(numbers.by_judge, "slope", "with_gt", 1),
        "slopes",
    ),
    ("A22", "hard_minus_easy", "without_gt"): (
        "hard minus easy without the expected calls, every judge",
        partial(numbers.by_judge, "slope", "without_gt", 1),
        "slopes",
    ),
    ("A22", "medium_to_hard_drop", "with_gt"): (
        "fall from medium to hard with the expected calls, every judge",
        partial(numbers.by_judge, "drop", "with_gt", -1),
        "slopes",
    ),
    ("A22", "hard_band", "without_gt"): (
        "alignment on hard queries without the expected calls, every judge",
        numbers.hard_band,
        "slopes",
    ),
    ("A26", "qwq_32b_top_cells", "with_gt of 15"): (
        "cells with the expected calls that QwQ-32B leads alone",
        partial(numbers.cells_led, "with_gt"),
        "winners",
    ),
    ("A26", "qwq_32b_top_cells", "without_gt of 15"): (
        "cells without the expected calls that QwQ-32B leads alone",
        partial(numbers.cells_led, "without_gt"),
        "winners",
    ),
    ("A26", "count_weighting_shift_upper_bound", ""): (
        "shift of a judge's mean if records weigh the same, not cells",
        numbers.count_weighting,
        "alignment_intervals",
    ),
    ("A28", "widest_metric_spread", "without_gt"): (
        "widest spread of the judges on one metric without the expected calls",
        partial(numbers.metric_spread, "without_gt"),
        "per_metric",
    ),
    ("A29", "topology_weighting_shift_upper_bound", ""): (
        "shift of a judge's mean if topologies weigh the same",
        numbers.topology_weighting,
        "alignment_intervals",
    ),
    ("A36", "half_minus_one", "three strongest generators"): (
        "size of what a default of 0.5 changes, the three strongest generators",
        partial(numbers.default_effect, numbers.STRONGEST, size=True),
        "c2",
    ),
    ("A36", "half_minus_one", "two weakest generators"): (
        "default of 0.5 minus default of 1.0, the two weakest generators",
        partial(numbers.default_effect, numbers.WEAKEST),
        "c2",
    ),
    ("A37", "max_spread", "qwen3_32b on llama_3_3_70b"): (
        "widest spread over temperatures, Qwen3-32B on Llama-3.3-70B",
        partial(numbers.spread, "qwen3_32b", "llama_3_3_70b"),
        "temperature",
    ),
    ("A38", "max_spread", "gpt_oss_120b on llama_3_1_8b"): (
        "widest spread over temperatures, GPT-OSS-120B on Llama-3.1-8B",
        partial(numbers.spread, "gpt_oss_120b", "llama_3_1_8b"),
        "temperature",
    ),
    ("A39", "mean_on_minus_off", "with_gt"): (
        "thinking on minus off with the expected calls, mean",
        numbers.thinking_mean,
        "thinking",
    ),
    ("A39", "max_abs_on_minus_off", "24 cells"): (
        "largest difference that thinking makes in a cell",
        numbers.thinking_largest,
        "thinking",
    ),
    ("A40", "structured_minus_free", "with_gt"): (
        "structured minus free-form prompt with the expected calls, each tier",
        numbers.format_effect,
        "format",
    ),
    ("A44", "annotated_records", ""): ("annotated records", studies.annotated_records, "human_agreement"),
    ("A44", "records_per_topology", ""): (
        "annotated records of each topology",
        studies.records_per_topology,
        "human_agreement",
    ),
    ("A44", "records_per_topology_with_some_score_below_one", ""): (
        "of these, with some score below 1",
        PEOPLE,
        "",
    ),
    ("A44", "records_per_topology_all_perfect", ""): ("of these, with four scores of 1", PEOPLE, ""),
    ("A44", "metric_verdicts", ""): ("annotated scores", studies.annotated_scores, "human_agreement"),
    ("A44", "parameter_disagreements_schema_valid_extra_keys", "of 21"): (
        "disagreements on parameter structure over extra keys that the schema allows, of 21",
        PEOPLE,
        "",
    ),
    ("A44", "parameter_disagreements_other", "of 21"): (
        "other disagreements on parameter structure, of 21",
        PEOPLE,
        "",
    ),
    ("A48", "over_anchoring_instances", "gemini_2_5_pro hard"): (
        "scores of Gemini-2.5-Pro that the expected calls make too lenient, hard",
        partial(studies.over_anchored, "gemini_2_5_pro"),
        "over_anchoring",
    ),
    ("A48", "case_1_sequence_programmatic", ""): ("sequence score of case 1", EXAMPLE, ""),
    ("A48", "case_2_sequence_programmatic", ""): ("sequence score of case 2", EXAMPLE, ""),
    ("A48", "case_3_coverage_programmatic", ""): ("coverage score of case 3", EXAMPLE, ""),
    ("A49", "triplets", ""): ("validated rewrites", corpus.triplets, "rewrite_yes_rates"),
    ("A49", "triplets_per_topology", ""): (
        "validated rewrites of each topology",
        corpus.triplets_per_topology,
        "rewrite_yes_rates",
    ),
    ("A55", "run_to_run_upper_bound", ""): (
        "noise from run to run, bounded by the spread over temperatures",
        partial(numbers.spread, "qwen3_32b", "llama_3_3_70b"),
        "temperature",
    ),
    ("A55", "prompt_wording_shift", ""): (
        "what another default in the prompt changes, each generator",
        partial(numbers.default_effect, GENERATORS),
        "c2",
    ),
    ("A18", "alignment_of_an_independent_judge", "claimed expectation"): (
        "alignment of a judge that guesses",
        REMARK,
        "",
    ),
}
"""Words, number and table of each row of agentjudgebench_claims.csv, by claim, quantity and scope."""
