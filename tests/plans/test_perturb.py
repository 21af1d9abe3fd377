"""Faults change what their name says and nothing else, and the scores see them."""

import itertools
from collections import Counter

import pytest
from jsonschema import Draft202012Validator

from plumbline.config.settings import FAULTS
from plumbline.corpora.starter import read_starter
from plumbline.plans.faults import possible_faults
from plumbline.plans.perturb import balanced_faults, perturb, perturbed
from plumbline.plans.placeholders import placeholder_arguments
from plumbline.plans.scoring import score_plan
from plumbline.records.model import TIERS, ExpectedCall, Plan, Queries, Record, Tool

RECORDS = read_starter().records


def tool(name: str, required: str = "", optional: str = "", **more: object) -> Tool:
    properties = {key: {"type": "string"} for key in required + optional}
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return Tool(name=name, parameters=schema)


def record(calls: list[tuple[str, str]], tools: list[Tool], name: str = "r", optional: str = "") -> Record:
    return Record(
        id=name,
        source="test",
        domain="test",
        topology="other",
        queries=Queries(easy="?"),
        tools=tuple(tools),
        expected_calls=tuple(
            ExpectedCall(id=f"s{n}", name=call, arguments=dict.fromkeys(keys, "v"), optional=tuple(optional))
            for n, (call, keys) in enumerate(calls)
        ),
    )


THREE = record(
    [("a", "xy"), ("b", "x"), ("c", "")], [tool("a", "xy"), tool("b", "x"), tool("c"), tool("d", "x")]
)
ONE = record([("a", "")], [tool("a")], name="one")


def faulty(kind: str, seed: int = 1) -> Plan:
    return perturbed(THREE, "easy", kind, seed, "perturb")


@pytest.mark.parametrize(
    ("kind", "scores"),
    [
        # tool, parameter, sequence, coverage with three expected tools; sets of values over all seeds
        ("none", {(1, 1, 1, 1)}),
        ("drop_call", {(2 / 3, 1, 2 / 3, 2 / 3), (2 / 3, 1, 1 / 3, 2 / 3), (2 / 3, 1, 0, 2 / 3)}),
        ("extra_call", {(2 / 3, 3 / 4, 1, 1)}),
        ("swap_calls", {(1, 1, 1 / 3, 1)}),
        ("replace_tool", {(1 / 3, 2 / 3, 2 / 3, 2 / 3)}),
        ("drop_argument", {(1, 2 / 3, 1, 1)}),
        ("add_argument", {(1, 2.5 / 3, 1, 1)}),
        ("rename_argument", {(1, 2 / 3, 1, 1)}),
        ("empty_plan", {(0, 1, 0, 0)}),
    ],
)
def test_a_fault_has_exactly_the_scores_that_follow_from_the_equations(
    kind: str, scores: set[tuple[float, ...]]
) -> None:
    found = {
        tuple(round(score, 12) for score in score_plan(faulty(kind, s).calls, THREE.expected_calls).values())
        for s in range(40)
    }
    assert found == {tuple(round(score, 12) for score in expected) for expected in scores}


def plans_of(kind: str) -> list[tuple[Record, Plan]]:
    chosen = [item for item in RECORDS if possible_faults(item, [kind])]
    return [
        (item, plan)
        for tier in TIERS
        for item, plan in zip(chosen, perturb(chosen, tier, [kind], 3, "p", TIERS), strict=True)
    ]


def pairs(calls: tuple) -> list[tuple[str, dict]]:
    return [(call.name, call.arguments) for call in calls]


def test_none_gives_the_expected_calls() -> None:
    assert all(pairs(plan.calls) == pairs(item.expected_calls) for item, plan in plans_of("none"))


def test_drop_call_leaves_out_one_call_and_keeps_the_rest() -> None:
    for item, plan in plans_of("drop_call"):
        expected = pairs(item.expected_calls)
        assert pairs(plan.calls) in [expected[:n] + expected[n + 1 :] for n in range(len(expected))]


def test_extra_call_appends_an_unexpected_tool_with_arguments_that_its_schema_accepts() -> None:
    for item, plan in plans_of("extra_call"):
        assert pairs(plan.calls[:-1]) == pairs(item.expected_calls)
        last = plan.calls[-1]
        offered = {tool.name: tool for tool in item.tools}
        assert last.name not in {call.name for call in item.expected_calls}
        Draft202012Validator(offered[last.name].parameters).validate(last.arguments)


def test_swap_calls_exchanges_two_calls_of_different_tools() -> None:
    for item, plan in plans_of("swap_calls"):
        expected, found = pairs(item.expected_calls), pairs(plan.calls)
        moved = [n for n in range(len(expected)) if expected[n] != found[n]]
        assert len(moved) == 2
        i, j = moved
        assert expected[i][0] != expected[j][0] and (found[i], found[j]) == (expected[j], expected[i])


def test_swap_calls_breaks_a_dependency_where_there_is_one() -> None:
    for item, plan in plans_of("swap_calls"):
        calls = item.expected_calls
        names = {call.id: call.name for call in calls}
        if any(names[need] != call.name for call in calls for need in call.needs):
            i, j = (n for n, call in enumerate(calls) if pairs([call]) != pairs([plan.calls[n]]))
            assert calls[i].id in calls[j].needs


def test_replace_tool_puts_a_valid_call_of_an_unexpected_tool_in_the_place_of_one_call() -> None:
    for item, plan in plans_of("replace_tool"):
        expected, found = pairs(item.expected_calls), pairs(plan.calls)
        (place,) = [n for n in range(len(expected)) if expected[n] != found[n]]
        offered = {tool.name: tool for tool in item.tools}
        assert len(found) == len(expected)
        assert found[place][0] not in {call.name for call in item.expected_calls}
        Draft202012Validator(offered[found[place][0]].parameters).validate(found[place][1])


def test_replace_tool_keeps_the_arguments_that_the_new_tool_accepts() -> None:
    item = record([("a", "xz")], [tool("a", "xz"), tool("d", "xy", "z")])
    assert perturbed(item, "easy", "replace_tool", 0, "p").calls[0].arguments == {
        "x": "v",
        "y": "example",
        "z": "v",
    }


def changed_arguments(item: Record, plan: Plan) -> tuple[Tool, dict, dict]:
    """Give the tool of the only call that differs, with its arguments before and after."""
    expected, found = pairs(item.expected_calls), pairs(plan.calls)
    assert [name for name, _ in expected] == [name for name, _ in found]
    (place,) = [n for n in range(len(expected)) if expected[n] != found[n]]
    offered = {tool.name: tool for tool in item.tools}
    return offered[found[place][0]], expected[place][1], found[place][1]


def test_drop_argument_takes_out_one_required_argument() -> None:
    for item, plan in plans_of("drop_argument"):
        offered, before, after = changed_arguments(item, plan)
        (gone,) = before.keys() - after.keys()
        assert gone in offered.parameters["required"]
        assert after == {key: value for key, value in before.items() if key != gone}


def test_add_argument_puts_in_one_argument_that_the_tool_does_not_declare() -> None:
    for item, plan in plans_of("add_argument"):
        offered, before, after = changed_arguments(item, plan)
        (new,) = after.keys() - before.keys()
        assert new not in offered.parameters["properties"]
        assert {key: after[key] for key in before} == before


def test_rename_argument_gives_one_required_argument_a_name_that_the_tool_does_not_declare() -> None:
    for item, plan in plans_of("rename_argument"):
        offered, before, after = changed_arguments(item, plan)
        (gone,), (new,) = before.keys() - after.keys(), after.keys() - before.keys()
        assert gone in offered.parameters["required"] and new not in offered.parameters["properties"]
        assert list(after.values()) == list(before.values())


@pytest.mark.parametrize("kind", [kind for kind in FAULTS if kind != "none"])
def test_every_fault_lowers_some_score_of_every_record_that_allows_it(kind: str) -> None:
    for item, plan in plans_of(kind):
        faultless = score_plan(perturbed(item, plan.tier, "none", 0, "p").calls or (), item.expected_calls)
        scores = score_plan(plan.calls or (), item.expected_calls)
        assert any(scores[metric] < faultless[metric] for metric in scores)


@pytest.mark.parametrize("tiers", [("easy", "hard"), TIERS, ("hard",)])
def test_kinds_are_balanced_over_all_records_and_tiers_of_the_run(tiers: tuple) -> None:
    counts = Counter(
        plan.fault for tier in tiers for plan in perturb(RECORDS[:23], tier, FAULTS, 5, "p", tiers)
    )
    assert set(counts) == set(FAULTS)
    assert max(counts.values()) - min(counts.values()) <= 1


def spread(counts: Counter) -> int:
    return sum(count * count for count in counts.values())


def test_balance_is_the_best_there_is_where_records_do_not_allow_every_kind() -> None:
    menus = [["k1"], ["k1", "k2"], ["k1", "k2", "k3"], ["k3"], ["k1"]]
    for choice in itertools.product(menus, repeat=4):
        possible = {f"r{n}": kinds for n, kinds in enumerate(choice)}
        found = balanced_faults(possible, ["easy"], 0)
        assert all(kind in possible[name] for (name, _), kind in found.items())
        best = min(spread(Counter(kinds)) for kinds in itertools.product(*choice))
        assert spread(Counter(found.values())) == best


def test_a_kind_that_is_impossible_for_a_record_is_never_used_on_it() -> None:
    assert possible_faults(ONE, FAULTS) == ["none", "add_argument", "empty_plan"]
    plans = [plan for tier in TIERS for plan in perturb([ONE, THREE], tier, FAULTS, 2, "p", TIERS)]
    assert {plan.fault for plan in plans if plan.record_id == "one"} <= {"none", "add_argument", "empty_plan"}


def test_a_record_that_allows_no_kind_has_a_status_and_no_calls() -> None:
    (plan,) = perturb([ONE], "easy", ["swap_calls"], 0, "perturb_swap_calls", TIERS)
    assert (plan.status, plan.calls, plan.fault) == ("not_asked", None, None)
    assert "swap_calls" in str(plan.detail)


def test_optional_arguments_are_not_dropped_or_renamed() -> None:
    item = record([("a", "x")], [tool("a", "x")], optional="x")
    assert possible_faults(item, ["drop_argument", "rename_argument"]) == []


def test_arguments_of_a_tool_that_is_expected_with_different_keys_are_left_alone() -> None:
    item = record([("a", "x"), ("a", "xy")], [tool("a", "x", "y")])
    assert possible_faults(item, ["drop_argument", "add_argument", "rename_argument", "swap_calls"]) == []


def test_the_same_input_gives_the_same_plans_in_any_order_of_the_records() -> None:
    forwards = perturb(RECORDS, "hard", FAULTS, 7, "p", TIERS)
    backwards = perturb(RECORDS[::-1], "hard", FAULTS, 7, "p", TIERS)
    assert [plan.model_dump_json() for plan in forwards] == [p.model_dump_json() for p in backwards[::-1]]


def test_another_seed_gives_other_faults() -> None:
    one, other = (perturb(RECORDS, "hard", FAULTS, seed, "p", TIERS) for seed in (1, 2))
    assert [plan.fault for plan in one] != [plan.fault for plan in other]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "enum": ["p", "q"]},
        {"type": "string", "format": "date"},
        {"type": "string", "minLength": 9, "maxLength": 12},
        {"type": "string", "maxLength": 2},
        {"type": "integer", "minimum": 7},
        {"type": "integer", "maximum": -3},
        {"type": "integer", "exclusiveMinimum": 4, "multipleOf": 5},
        {"type": "number", "minimum": 0, "maximum": 0.5},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"type": "boolean"},
        {"type": "string", "default": None},
        {"type": ["null", "integer"]},
        {"type": "array", "items": {"type": "integer"}, "minItems": 3},
        {"type": "object", "properties": {"k": {"type": "number"}}, "required": ["k"]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"const": 5},
        {"$ref": "#/$defs/thing"},
        {},
    ],
)
def test_a_placeholder_fits_its_schema(schema: dict) -> None:
    parameters = {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"],
        "$defs": {"thing": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    }
    arguments = placeholder_arguments(Tool(name="t", parameters=parameters))
    assert arguments is not None and set(arguments) == {"x"}
    Draft202012Validator(parameters).validate(arguments)


def test_a_schema_that_no_placeholder_fits_gives_none() -> None:
    schema = {"type": "string", "pattern": "^[0-9]{7}$"}
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    assert placeholder_arguments(Tool(name="t", parameters=parameters)) is None
