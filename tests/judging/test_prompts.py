"""The judge prompts keep every rule of their checklists: the wording is ours, the rules are not."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from plumbline.judging.prometheus_template import read_rubric
from plumbline.records import METRICS

BOTH = {
    "strict evaluator of structure": r"strict evaluator of the structure",
    "one shot, no state": r"one shot.*keeps no state",
    "saw no execution": r"saw no tool being executed and no output",
    "only planned": r"All it did was plan",
    "judged statically": r"judged statically, by structure",
    "no judging of values": r"Do not judge whether an argument's value is right",
    "no inference from returns": r"Do not infer correctness from what a tool would return",
    "placeholders are not penalised": r"Do not penalise placeholder, symbolic or dummy values",
    "scope: nothing else": r"# What you judge, and nothing else\n\n- ",
    "scope: tools": r"- which tools are present, and their names",
    "scope: parameter names": r"- the names of the parameters",
    "scope: dictionary": r"- that the arguments of a call are a dictionary",
    "scope: order": r"- the logical order of the calls",
    "scope: intent": r"- whether the user's intent is covered",
    "parameter structure counts most": r"parameter_structure_accuracy \(the most important one\)",
    "optional parameters never lower": r"Optional parameters never lower the score",
    "hand-over between calls is valid": r"hand-over from one call to a later one counts as valid",
    "sequence scale": r"1\.0 logical; 0\.5 a small slip that keeps the intent; 0\.0 illogical",
    "coverage scale": r"1\.0 all; 0\.5 some; 0\.0 the main intent is missed",
    "one JSON object": r"exactly one JSON object and nothing else",
    "assessment": r'"overall_assessment": "<one sentence>"',
    "conservative": r"Be conservative: give 1\.0 unless the structure is clearly violated",
}
WITH_GT = {
    "programmatic judge is the truth": r"programmatic judge.*is to be taken as the truth",
    "no comparison of values": r"Do not compare the values of the generated calls with those of the expected",
    "derived values, with numbers": r"derived value that differs.*\d",
    "override": r"Override: where the parameter names match.*parameter structure is correct",
    "aligned, start from 1.0": r"agree with the programmatic judge\. Each starts from 1\.0",
    "tools needed, none out of place": r"all needed tools there, and is none clearly out of place",
    "grouping ignored": r"Ignore how calls are grouped and whether they could run",
    "tool scale": r"1\.0 all needed tools, none irrelevant; 0\.5 one tool missing or clearly irrelevant",
    "required names suffice": r"Required names that are present mean correct",
    "not at issue": r"values, numeric ranges, thresholds, how dependencies.*values taken from outputs",
    "placeholders fine": r"Placeholders are always fine",
    "parameter scale": r"1\.0 names right on all tools; 0\.5 a small omission or surplus; 0\.0 most",
    "prerequisites": r"order reflect planning, and do prerequisites come first",
    "coverage": r"all parts and sub-goals of the request planned for",
    "structure, not meaning": r"Judge structure, not meaning",
}
WITHOUT_GT = {
    "no plan exists": r"No expected plan exists",
    "run-time values": r"absence of values that only exist at run time",
    "derived values": r"Do not penalise derived values that differ",
    "may use only three things": r"user's query\n- the schemas of the available tools\n- the generated calls",
    "schemas are the truth": r"tool schemas are the only source of truth",
    "1.0 is a must": r"purely structural\. Each must be 1\.0 by default",
    "plausible tools are valid": r"plausibly helps is valid; only clear irrelevance is penalised",
    "tool scale": r"1\.0 all relevant; 0\.5 one doubtful or missing; 0\.0 the selection is unrelated",
    "names exist in the schema": r"are they dictionaries, do the names exist in the tool's schema",
    "not at issue": r"Not at issue: values, types, ranges, thresholds, symbolic references",
    "extra only if invalid": r"Extra parameters lower it only if clearly invalid",
    "parameter scale": r"1\.0 valid on every tool; 0\.5 small issues; 0\.0 most tools wrong",
    "analysis before decision": r"with the query, and does analysis come before decision or advice",
    "coverage": r"attempt every part of the request, and are the key sub-goals there",
    "not execution": r"Judge structure, not execution or correctness",
}
RULES = [("judge_with_gt", *rule) for rule in {**BOTH, **WITH_GT}.items()]
RULES += [("judge_without_gt", *rule) for rule in {**BOTH, **WITHOUT_GT}.items()]
# the two rules that the other default replaces are looked at below
OTHER_DEFAULT = ("conservative", "1.0 is a must")
RULES += [
    ("judge_half_default", name, pattern)
    for name, pattern in {**BOTH, **WITHOUT_GT}.items()
    if name not in OTHER_DEFAULT
]


@pytest.mark.parametrize(("name", "rule", "pattern"), RULES, ids=lambda value: str(value)[:40])
def test_the_prompt_keeps_the_rule(name: str, rule: str, pattern: str, project_root: Path) -> None:
    text = (project_root / "prompts" / f"{name}.user.md").read_text(encoding="utf-8")
    assert re.search(pattern, text), rule


def test_the_prompt_without_reference_says_nothing_of_one(project_root: Path) -> None:
    text = (project_root / "prompts/judge_without_gt.user.md").read_text(encoding="utf-8")
    assert "programmatic judge" not in text
    assert "Override" not in text
    assert "compare" not in text.lower()


@pytest.mark.parametrize("name", ["judge_with_gt", "judge_without_gt"])
def test_the_varying_blocks_come_last(name: str, project_root: Path) -> None:
    text = (project_root / "prompts" / f"{name}.user.md").read_text(encoding="utf-8")
    assert text.endswith("\n{{ blocks }}\n")
    assert not (project_root / "prompts" / f"{name}.system.md").exists()


def _parts_that_differ(first: str, second: str) -> list[tuple[str, str]]:
    """Sentences of two texts that differ, place by place."""
    a, b = (re.split(r"(?<=[.:?])\s+", text) for text in (first, second))
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [(" ".join(a[i:j]), " ".join(b[k:m])) for kind, i, j, k, m in blocks if kind != "equal"]


def test_the_half_default_prompt_is_the_one_without_reference_with_exactly_two_changes(
    project_root: Path,
) -> None:
    texts = [
        (project_root / "prompts" / f"{name}.user.md").read_text(encoding="utf-8")
        for name in ("judge_without_gt", "judge_half_default")
    ]
    changes = _parts_that_differ(*texts)
    assert len(changes) == 2
    for was, became in changes:
        assert "1.0" in was and "0.5" not in was
        assert re.search(r"[Ww]hen unsure", became)
        assert re.search(r"1\.0 only (if|where) the evidence clearly supports it", became)
        assert re.search(r"0\.0 only for a clear violation", became)
    assert "No score leans up or down by default: calibrate each to the evidence" in changes[0][1]
    assert "Be conservative" not in texts[1]


FREE_FORM = {
    "evaluates a plan": r"evaluating the plan of an AI agent",
    "names what is given": r"query, the tools that were available and the tool calls",
    "four aspects": r"choice of tools, the structure of the parameters, the order of the calls, and how",
    "floats": r"number from 0 to 1",
    "one sentence each": r'"justification": "<one sentence>"',
    "assessment": r"overall_assessment with one sentence",
}
FOUR_QUESTIONS = {
    "scale": r"0 \(no\), 0\.5 \(partly\) or 1 \(yes\)",
    "tools": r"1\. tool_selection_accuracy: .*tools",
    "names and structure": r"2\. parameter_structure_accuracy: .*names and the structure of the parameters",
    "order": r"3\. sequence_accuracy: .*order",
    "intents": r"4\. query_coverage_accuracy: are all intents",
    "assessment": r"overall_assessment with one sentence",
}
MORE_RULES = [("judge_free_form.user.md", *rule) for rule in FREE_FORM.items()]
for side in ("with_gt", "without_gt"):
    MORE_RULES += [(f"judge_four_questions_{side}.user.md", *rule) for rule in FOUR_QUESTIONS.items()]
MORE_RULES += [
    ("judge_four_questions_with_gt.user.md", "compares", r"with the expected calls"),
    ("judge_four_questions_without_gt.user.md", "tools by the query", r"tools right for the query"),
    ("judge_four_questions_without_gt.user.md", "names by the schema", r"match the tools' schemas"),
    ("derive_calls.user.md", "nothing runs", r"Nothing is executed"),
    ("derive_calls.user.md", "order", r"in the order in which the calls have to run"),
    ("derive_calls.user.md", "names of the schemas", r"parameters exactly as the schemas give them"),
    ("derive_calls.user.md", "placeholders", r"write a placeholder that names that call"),
    ("derive_calls.user.md", "raw array", r"raw JSON array of the calls and nothing else"),
    ("derive_calls.user.md", "no tool fits", r"If no tool fits, output \[\]"),
    ("prometheus/instruction.md", "the task", r"Select and structure the tool calls"),
    ("prometheus/instruction.md", "structure, not values", r"structure of the calls .*, not the values"),
    ("prometheus/instruction.md", "tools before query", r"(?s)\{\{ tools \}\}.*\{\{ query \}\}"),
]


@pytest.mark.parametrize(("file", "rule", "pattern"), MORE_RULES, ids=lambda value: str(value)[:40])
def test_the_prompt_of_an_ablation_keeps_the_rule(
    file: str, rule: str, pattern: str, project_root: Path
) -> None:
    text = (project_root / "prompts" / file).read_text(encoding="utf-8")
    assert re.search(pattern, text), rule


@pytest.mark.parametrize(
    "name",
    [
        "judge_free_form",
        "judge_half_default",
        "judge_four_questions_with_gt",
        "judge_four_questions_without_gt",
    ],
)
def test_every_prompt_of_a_judge_asks_for_all_keys_and_ends_with_the_blocks(
    name: str, project_root: Path
) -> None:
    text = (project_root / "prompts" / f"{name}.user.md").read_text(encoding="utf-8")
    assert text.endswith("\n{{ blocks }}\n")
    for key in ("tool_selection", "parameter_structure", "sequence", "query_coverage"):
        assert f"{key}_accuracy" in text
    assert "overall_assessment" in text


def test_the_free_form_prompt_has_no_rubric_no_steps_and_no_default(project_root: Path) -> None:
    text = (project_root / "prompts/judge_free_form.user.md").read_text(encoding="utf-8")
    for word in ("0.5", "1.0", "0.0", "default", "unsure", "conservative", "penalise", "expected"):
        assert word not in text


def test_every_rubric_of_prometheus_has_a_criterion_and_five_levels_that_differ(project_root: Path) -> None:
    for metric in METRICS:
        rubric = read_rubric(project_root / "prompts/prometheus" / f"{metric}.yaml")
        assert len(set(rubric.values())) == 6
        assert rubric["criteria"].endswith(("?", ".")) and "?" in rubric["criteria"]
