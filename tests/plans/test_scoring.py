"""The four scores: the paper's equations, every edge case, and an oracle that knows only the formulas."""

import itertools
import random

import pytest

from plumbline.config.settings import Scoring
from plumbline.plans.scoring import (
    extra_key_readings,
    parameter_structure,
    query_coverage,
    score_plan,
    score_plans,
    sequence_accuracy,
    tool_selection,
)
from plumbline.records.errors import DataError
from plumbline.records.model import METRICS, READINGS, ExpectedCall, Plan, Queries, Record, Tool, ToolCall


def plan(*calls: tuple[str, str]) -> list[ToolCall]:
    """Write a plan as (tool, keys) with one-letter keys: ("a", "xy") calls a with x and y."""
    return [ToolCall(name=name, arguments=dict.fromkeys(keys, 0)) for name, keys in calls]


def expect(*calls: tuple[str, str], optional: str = "") -> list[ExpectedCall]:
    return [
        ExpectedCall(id=f"s{n}", name=name, arguments=dict.fromkeys(keys, 1), optional=tuple(optional))
        for n, (name, keys) in enumerate(calls)
    ]


ABC = (("a", "x"), ("b", "y"), ("c", ""))


@pytest.mark.parametrize(
    ("called", "expected", "scores"),
    [
        pytest.param((), (), (1, 1, 1, 1), id="both empty"),
        pytest.param((), ABC, (0, 1, 0, 0), id="plan empty"),
        pytest.param((("a", "x"),), (), (0, 0, 1, 1), id="nothing expected"),
        pytest.param((("a", "x"), ("b", "")), (), (0, 0, 1, 1), id="nothing expected, two called"),
        pytest.param(ABC, ABC, (1, 1, 1, 1), id="identical"),
        pytest.param((*ABC, ("z", "")), ABC, (1 - 1 / 3, 3 / 4, 1, 1), id="unknown tool appended"),
        pytest.param((("z", ""), *ABC), ABC, (1 - 1 / 3, 3 / 4, 0, 1), id="unknown tool first"),
        pytest.param(ABC[:2], ABC, (1 - 1 / 3, 1, 2 / 3, 2 / 3), id="last expected tool missing"),
        pytest.param(
            (*ABC, ("z", ""), ("y", ""), ("w", "")), ABC, (0, 1 / 2, 1, 1), id="as many unknown as expected"
        ),
        pytest.param((ABC[1], ABC[0], ABC[2]), ABC, (1, 1, 1 / 3, 1), id="right set, wrong order"),
        pytest.param(
            (ABC[0], ABC[0], ABC[1], ABC[2]), ABC, (1, 1, 1 / 3, 1), id="called twice, expected once"
        ),
        pytest.param(
            (("a", "x"), ("a", "xy")),
            (("a", "x"), ("a", "xy")),
            (1, 1 / 2, 1, 1),
            id="expected twice: the last occurrence's keys decide",
        ),
        pytest.param((("c", "q"),), (("c", ""),), (1, 0.5, 1, 1), id="surplus argument"),
        pytest.param((("a", ""),), (("a", "x"),), (1, 0, 1, 1), id="no argument, one expected"),
        pytest.param((("a", "q"),), (("a", "x"),), (1, 0, 1, 1), id="renamed argument"),
        pytest.param((("c", ""),), (("c", ""),), (1, 1, 1, 1), id="no arguments on both sides"),
        pytest.param((("A", "x"),), (("a", "x"),), (0, 0, 0, 0), id="names are case-sensitive"),
        pytest.param(
            (*ABC, ABC[0]), ABC, (1, 1, 1, 1), id="surplus position with a known name costs nothing"
        ),
        pytest.param(
            (("a", "x"), ("b", "y")),
            (("a", "x"), ("b", "y"), ("a", "x")),
            (1, 1, 2 / 3, 1),
            id="missing tail with a known name costs positions only",
        ),
    ],
)
def test_edge_case(called: tuple, expected: tuple, scores: tuple[float, ...]) -> None:
    found = score_plan(plan(*called), expect(*expected))
    assert tuple(found) == METRICS
    assert tuple(found.values()) == pytest.approx(scores, abs=1e-15)


def test_sequence_scores_of_the_papers_first_two_cases() -> None:
    assert round(sequence_accuracy(plan(*ABC[:2], ("z", "")), expect(*ABC)), 2) == 0.67
    assert round(sequence_accuracy(plan(ABC[0], ABC[2], ABC[1]), expect(*ABC)), 2) == 0.33


def test_the_third_case_has_coverage_one_by_the_equation_and_067_only_if_extras_are_penalised() -> None:
    called, expected = plan(*ABC), expect(*ABC[:2])
    assert query_coverage(called, expected) == 1
    assert round(query_coverage(called, expected, Scoring(coverage_extras="penalise")), 2) == 0.67


def test_values_are_never_looked_at() -> None:
    called = [ToolCall(name="a", arguments={"x": object.__name__})]
    assert parameter_structure(called, expect(("a", "x"))) == 1


@pytest.mark.parametrize(("keys", "score"), [("x", 1), ("xo", 1), ("xoq", 0.5), ("o", 0), ("xq", 0.5)])
def test_optional_keys_count_on_neither_side(keys: str, score: float) -> None:
    assert parameter_structure(plan(("a", keys)), expect(("a", "xo"), optional="o")) == score


@pytest.mark.parametrize(
    ("reading", "score"), [("last", 1 / 3), ("first", 2 / 3), ("in_order", 2 / 3), ("best", 3 / 3)]
)
def test_whose_keys_count_when_a_tool_is_expected_twice(reading: str, score: float) -> None:
    # against {x}: 1, 1, 0; against {y}: 0, 0, 1; in order: {x}, then {y}, then {y} again
    called = plan(("a", "x"), ("a", "x"), ("a", "y"))
    expected = expect(("a", "x"), ("a", "y"))
    settings = Scoring.model_validate({"repeated_expected": reading})
    assert parameter_structure(called, expected, settings) == pytest.approx(score)


def test_surplus_keys_that_the_schema_declares_are_forgiven_only_if_asked() -> None:
    tool = Tool(name="a", parameters={"type": "object", "properties": {"x": {}, "d": {}}})
    expected = expect(("a", "x"))
    aware = Scoring(extra_keys="schema_aware")
    assert parameter_structure(plan(("a", "xd")), expected, Scoring(), [tool]) == 0.5
    assert parameter_structure(plan(("a", "xd")), expected, aware, [tool]) == 1
    assert parameter_structure(plan(("a", "xq")), expected, aware, [tool]) == 0.5
    assert parameter_structure(plan(("a", "d")), expected, aware, [tool]) == 0


def test_released_rounding_has_four_decimals() -> None:
    scores = score_plan(plan(*ABC[:2]), expect(*ABC), Scoring(rounding="released"))
    assert scores["sequence"] == 0.6667
    assert score_plan(plan(*ABC[:2]), expect(*ABC))["sequence"] == 2 / 3


def oracle(called: list[ToolCall], expected: list[ExpectedCall]) -> tuple[float, float, float, float]:
    """The formulas of the paper, position by position and name by name, without sets of any library."""
    universe = sorted([c.name for c in called] + [e.name for e in expected])
    universe = [name for n, name in enumerate(universe) if n == 0 or universe[n - 1] != name]
    in_plan = {name: any(c.name == name for c in called) for name in universe}
    in_trace = {name: any(e.name == name for e in expected) for name in universe}
    surplus = sum(1 for name in universe if in_plan[name] and not in_trace[name])
    missing = sum(1 for name in universe if in_trace[name] and not in_plan[name])
    wanted = sum(1 for name in universe if in_trace[name])
    both = sum(1 for name in universe if in_trace[name] and in_plan[name])
    tool = 1.0 if not called and not expected else max(0.0, 1 - (surplus + missing) / max(wanted, 1))
    if expected:
        positions = range(min(len(called), len(expected)))
        sequence = sum(called[i].name == expected[i].name for i in positions) / len(expected)
    else:
        sequence = 1.0
    marks = []
    for call in called:
        keys = None
        for expectation in expected:
            if expectation.name == call.name:
                keys = sorted(expectation.arguments)
        if keys is None or any(key not in call.arguments for key in keys):
            marks.append(0.0)
        else:
            marks.append(1.0 if sorted(call.arguments) == keys else 0.5)
    parameters = sum(marks) / len(marks) if marks else 1.0
    coverage = 1.0 if wanted == 0 else both / wanted
    return tool, parameters, sequence, coverage


def test_scores_agree_with_an_oracle_on_every_pair_of_small_plans() -> None:
    calls = [("a", ""), ("a", "x"), ("b", "xy")]
    plans = [p for n in range(4) for p in itertools.product(calls, repeat=n)]
    for called, expected in itertools.product(plans, repeat=2):
        p, e = plan(*called), expect(*expected)
        assert tuple(score_plan(p, e).values()) == pytest.approx(oracle(p, e), abs=1e-15)


def test_scores_agree_with_an_oracle_on_random_plans() -> None:
    rng = random.Random(5)

    def some() -> list[tuple[str, str]]:
        return [
            (rng.choice("abcdef"), "".join(rng.sample("xyzw", rng.randint(0, 4))))
            for _ in range(rng.randint(0, 6))
        ]

    for _ in range(4000):
        p, e = plan(*some()), expect(*some())
        assert tuple(score_plan(p, e).values()) == pytest.approx(oracle(p, e), abs=1e-15)


def test_a_score_is_never_outside_zero_to_one_whatever_the_reading() -> None:
    rng = random.Random(6)
    readings = [
        Scoring.model_validate({"repeated_expected": r, "coverage_extras": c, "extra_keys": k})
        for r in ("last", "first", "in_order", "best")
        for c in ("ignore", "penalise")
        for k in ("penalise", "schema_aware")
    ]
    for _ in range(300):
        p = plan(*((rng.choice("abc"), rng.choice(["", "x", "xy"])) for _ in range(rng.randint(0, 4))))
        e = expect(*((rng.choice("abc"), rng.choice(["", "x", "xy"])) for _ in range(rng.randint(0, 4))))
        for reading in readings:
            assert all(0 <= score <= 1 for score in score_plan(p, e, reading).values())


def record(name: str) -> Record:
    return Record(
        id=name,
        source="test",
        domain="test",
        topology="linear",
        queries=Queries(easy="?"),
        tools=tuple(Tool(name=tool) for tool, _ in ABC),
        expected_calls=tuple(expect(*ABC)),
    )


def test_only_ok_plans_have_a_row_and_a_plan_without_calls_is_one() -> None:
    def made(status: str, calls: tuple[ToolCall, ...] | None) -> Plan:
        return Plan(record_id="r1", tier="easy", generator="g", status=status, calls=calls)

    table = score_plans(
        [made("ok", tuple(plan(*ABC[:2]))), made("malformed", None), made("ok", ())], [record("r1")]
    )
    assert list(table.columns) == ["record_id", "tier", "generator", *METRICS, "mean", *READINGS]
    assert table[list(METRICS)].to_numpy().tolist() == [
        [pytest.approx(1 - 1 / 3), 1, 2 / 3, 2 / 3],
        [0, 1, 0, 0],
    ]
    # two thirds three times and a 1; a single 1
    assert table["mean"].to_list() == [pytest.approx(0.75), 0.25]


def test_no_ok_plan_gives_an_empty_table_with_all_columns() -> None:
    table = score_plans([], {"r1": record("r1")})
    assert list(table.columns) == ["record_id", "tier", "generator", *METRICS, "mean", *READINGS]
    assert table.empty and all(table[metric].dtype == float for metric in METRICS)


def test_a_plan_of_an_unknown_record_is_named() -> None:
    stray = Plan(record_id="gone", tier="hard", generator="g", status="ok", calls=())
    with pytest.raises(DataError, match=r"record gone: a plan of g \(hard\)"):
        score_plans([stray], [record("r1")])


SCHEMA = (
    Tool(name="a", parameters={"type": "object", "properties": {"x": {}, "y": {}}}),
    Tool(name="b", parameters={"type": "object", "properties": {"y": {}}}),
)


def test_extra_keys_are_counted_and_forgiven_by_both_readings() -> None:
    """a has an extra key that its schema knows, b one that no schema knows, c is right, z is unknown."""
    called = plan(("a", "xy"), ("b", "yq"), ("c", ""), ("z", "x"))
    assert parameter_structure(called, expect(*ABC)) == (0.5 + 0.5 + 1 + 0) / 4
    assert extra_key_readings(called, expect(*ABC), tools=SCHEMA) == {
        "parameter_structure_lenient": (1 + 1 + 1 + 0) / 4,
        "parameter_structure_schema_aware": (1 + 0.5 + 1 + 0) / 4,
        "extra_key_calls": 2,
    }


def test_readings_do_not_depend_on_how_extra_keys_are_scored() -> None:
    called = plan(("a", "xy"), ("b", ""))
    aware = Scoring(extra_keys="schema_aware")
    assert extra_key_readings(called, expect(*ABC), aware, SCHEMA) == extra_key_readings(
        called, expect(*ABC), tools=SCHEMA
    )
    rounded = extra_key_readings(plan(*ABC[:2], ("z", "")), expect(*ABC), Scoring(rounding="released"))
    assert rounded["parameter_structure_lenient"] == 0.6667


def test_a_plan_without_calls_has_no_extra_keys_and_full_structure() -> None:
    assert list(extra_key_readings([], expect(*ABC)).values()) == [1, 1, 0]


def test_the_schema_aware_reading_lies_between_the_strict_and_the_lenient_one() -> None:
    rng = random.Random(9)
    for _ in range(500):
        called, expected = (
            mk(*((rng.choice("abz"), rng.choice(["", "x", "xy", "yq"])) for _ in range(rng.randint(0, 4))))
            for mk in (plan, expect)
        )
        for rule in ("last", "first", "in_order", "best"):
            settings = Scoring(repeated_expected=rule)
            lenient, aware, _ = extra_key_readings(called, expected, settings, SCHEMA).values()
            assert parameter_structure(called, expected, settings) <= aware <= lenient <= 1


def test_tool_selection_is_one_when_nothing_is_called_and_nothing_expected() -> None:
    assert tool_selection([], []) == 1
