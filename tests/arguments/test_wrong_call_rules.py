"""Wrong calls by rule: what each rule changes, jointly, by seed, and what it never makes."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from typing import Any

import pytest

from plumbline.arguments.datasets.periods import Periods
from plumbline.arguments.datasets.rules import ValuePool, make_wrong
from plumbline.arguments.datasets.shifts import is_moment, partner, shifted_number, shifted_years
from plumbline.arguments.datasets.tickers import is_ticker
from plumbline.config.argument_datasets import PeriodSpellings, Rule
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.model import Tool, ToolCall

QUOTE = Tool(
    name="quote",
    parameters={
        "type": "object",
        "properties": {
            "symbol": {"type": "string"},
            "period": {"type": "string", "enum": ["annual", "quarter"]},
            "from": {"type": "string"},
            "to": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 3},
            "adjusted": {"type": "boolean"},
        },
    },
)


def state(query: str, *gold: dict[str, Any]) -> State:
    calls = tuple(ToolCall(name="quote", arguments=arguments) for arguments in gold)
    return State(state_id=f"s-{query}", query_id=query, dataset="d", turns=(), functions=(QUOTE,), gold=calls)


STATES = [
    state("q1", {"symbol": "AAPL", "period": "annual", "from": "2024-02-29", "to": "2024-12-31"}),
    state("q2", {"symbol": "MSFT", "limit": 2}),
    state("q3", {"symbol": "AAPL", "adjusted": True}),
]


PERIODS = Periods.of()


def wrong(of: State, *rules: Rule, seed: int = 0, function: Tool = QUOTE, **kept: Any) -> Any:
    return make_wrong(of.gold[0], function, of, rules, random.Random(seed), ValuePool.of(STATES), **kept)


def test_a_pair_of_dates_moves_jointly_by_one_to_three_years_and_clips_to_the_months_end() -> None:
    seen = set()
    for seed in range(60):
        arguments, rule, changed = wrong(STATES[0], "shift_date", seed=seed)
        assert (rule, changed) == ("shift_date", ("from", "to"))
        start, end = date.fromisoformat(arguments["from"]), date.fromisoformat(arguments["to"])
        years = start.year - 2024
        assert end == date(2024 + years, 12, 31)
        assert (start.month, start.day) == (2, 29 if (2024 + years) % 4 == 0 else 28)
        assert arguments["symbol"] == "AAPL"
        seen.add(years)
    assert seen == {-3, -2, -1, 1, 2, 3}


def test_a_ticker_is_exchanged_for_one_of_another_query() -> None:
    for seed in range(10):
        arguments, _, changed = wrong(STATES[0], "swap_ticker", seed=seed)
        assert (arguments["symbol"], changed) == ("MSFT", ("symbol",))


def test_a_list_of_tickers_loses_one() -> None:
    listed = state("q9", {"symbol": ["AAPL", "TSLA"]})
    arguments, _, _ = wrong(listed, "swap_ticker")
    assert sorted(arguments["symbol"]) in (["AAPL", "MSFT"], ["MSFT", "TSLA"])


@pytest.mark.parametrize(
    ("value", "choices", "other"),
    [
        ("annual", None, {"quarter"}),
        ("Annual", None, {"Quarter"}),
        ("quarterly", None, {"annual"}),
        ("FY", None, {"Q1", "Q2", "Q3", "Q4"}),
        ("Q2", None, {"FY"}),
        ("quarter", ["FY", "quarter"], {"FY"}),
        ("yearly", None, {"quarterly"}),
    ],
)
def test_annual_and_quarter_are_swapped_as_the_parameter_writes_them(
    value: str, choices: list[str] | None, other: set[str]
) -> None:
    assert {PERIODS.other(value, choices, random.Random(seed)) for seed in range(40)} == other


def test_spellings_of_one_period_are_the_same() -> None:
    assert PERIODS.are_same("annual", "FY")
    assert PERIODS.are_same("quarter", "Q3")
    assert not PERIODS.are_same("annual", "quarter")
    assert not PERIODS.are_same("day", "day")


def test_the_spellings_of_a_period_are_a_setting() -> None:
    periods = Periods.of(PeriodSpellings(annual=["FY", "full year"], quarter=["QTR", "Q1"]))
    assert periods.are_same("Full Year", "fy")
    assert not periods.are_same("annual", "FY")
    assert not periods.is_one("annual")
    # in a like spelling where there is one, else in any
    assert {periods.other("FY", None, random.Random(seed)) for seed in range(20)} == {"Q1"}
    assert {periods.other("full year", None, random.Random(seed)) for seed in range(20)} == {"qtr", "q1"}
    of = state("q1", {"period": "FY"})
    pool = ValuePool.of([of], periods)
    made = make_wrong(of.gold[0], Tool(name="quote"), of, ["swap_period"], random.Random(0), pool)
    assert made is not None and made[0] == {"period": "Q1"}
    with pytest.raises(ValueError, match="q1 is a spelling of both periods"):
        PeriodSpellings(annual=["Q1"])


@pytest.mark.parametrize(
    ("parameter", "value", "ticker"),
    [
        ("symbol", "AAPL", True),
        ("stockSymbol", "AAPL", True),
        ("tickerSymbol", "BRK.B", True),
        ("stock_ticker", "^GSPC", True),
        ("Tickers", "AAPL,MSFT", True),
        ("symbols", "AAPL, MSFT , BTC-USD", True),
        ("symbols", "AAPL,", False),
        ("symbols", "AAPL,Microsoft", False),
        ("symbol", "2024", False),
        ("company", "AAPL", False),
        ("stockExchange", "NYSE", False),
        ("livestock", "COW", False),
        ("symbol", ["AAPL"], False),
    ],
)
def test_what_is_a_ticker(parameter: str, value: Any, ticker: bool) -> None:
    assert is_ticker(parameter, value) is ticker


def test_of_tickers_with_commas_one_is_exchanged_and_the_rest_stays_as_written() -> None:
    listed = state("q9", {"symbol": "AAPL, TSLA"})
    seen = {wrong(listed, "swap_ticker", seed=seed)[0]["symbol"] for seed in range(20)}
    assert seen == {"MSFT, TSLA", "AAPL, MSFT"}
    # each of them may stand in for another query's
    pool = ValuePool.of([listed])
    of = state("q10", {"symbol": "NVDA"})
    drawn = {
        make_wrong(of.gold[0], QUOTE, of, ["swap_ticker"], random.Random(seed), pool)[0]["symbol"]  # type: ignore[index]
        for seed in range(20)
    }
    assert drawn == {"AAPL", "TSLA"}


def test_a_ticker_is_never_exchanged_for_one_of_the_same_company() -> None:
    # GOOGL is GOOG by the name that a return gives, BRK.B is BRK-A by its share class
    names = (
        '[{"symbol": "GOOG", "name": "Alphabet Inc. Class C"}, {"symbol": "GOOGL", "name": "Alphabet Inc."}]'
    )
    told = Turn(role="assistant", calls=(HistoryCall(name="search", returns=names),))
    asked = state("q1", {"symbol": "GOOG"}).model_copy(update={"turns": (told,)})
    others = [
        state("q2", {"symbol": "GOOGL"}),
        state("q3", {"symbol": "BRK.B"}),
        state("q4", {"symbol": "BRK-A"}),
    ]
    pool = ValuePool.of([asked, *others])

    def drawn(of: State) -> set[str]:
        seeds = map(random.Random, range(40))
        made = (make_wrong(of.gold[0], QUOTE, of, ["swap_ticker"], rng, pool) for rng in seeds)
        return {one[0]["symbol"] for one in made if one is not None}

    assert drawn(asked) == {"BRK.B", "BRK-A"}
    assert drawn(others[1]) == {"GOOG", "GOOGL"}
    # where only the same company is left there is no wrong call
    alone = ValuePool.of([asked, others[0]])
    assert make_wrong(asked.gold[0], QUOTE, asked, ["swap_ticker"], random.Random(0), alone) is None


@pytest.mark.parametrize(
    ("parameter", "value", "moment"),
    [
        ("from", "2024-01-31", True),
        ("period", "2024-Q1", True),
        ("year", 2023, True),
        ("startYear", "2023", True),
        ("customer_id", "2023", False),
        ("limit", 2000, False),
        ("from", "2024-13-01", False),
        ("from", True, False),
        ("date", "2024-05-01T10:00:00", True),
    ],
)
def test_what_is_a_date(parameter: str, value: Any, moment: bool) -> None:
    assert is_moment(parameter, value) is moment


def test_what_follows_a_day_stays() -> None:
    assert shifted_years("2024-02-29T10:30:00Z", 1) == "2025-02-28T10:30:00Z"
    assert shifted_years("2024-Q4", -2) == "2022-Q4"
    assert shifted_years("2023/01/15", 3) == "2026/01/15"
    assert shifted_years(2023, -1) == 2022


@pytest.mark.parametrize(
    ("parameter", "others", "other"),
    [
        ("from", ["to"], "to"),
        ("startDate", ["endDate"], "endDate"),
        ("dateFrom", ["dateTo"], "dateTo"),
        ("arrival_date", ["departure_date"], "departure_date"),
        ("pick_up_date", ["drop_off_date", "pick_up_time"], "drop_off_date"),
        ("date_from", ["date_to"], "date_to"),
        ("from", ["until"], None),
        ("customer", ["cusfromer"], None),
    ],
)
def test_the_other_end_of_a_pair_is_known_by_its_name(
    parameter: str, others: list[str], other: str | None
) -> None:
    arguments = dict.fromkeys([parameter, *others], "2024-01-01")
    assert partner(parameter, arguments) == other


@pytest.mark.parametrize(
    ("value", "schema"),
    [(5, {}), (1, {"minimum": 1, "maximum": 3}), (0, {}), ("007", {}), (12.5, {}), ("-33.87", {}), (1e6, {})],
)
def test_a_number_moves_a_little_within_its_bounds_and_keeps_its_type(value: Any, schema: Any) -> None:
    for seed in range(20):
        new = shifted_number(value, schema, random.Random(seed))
        assert type(new) is type(value)
        assert float(new) != float(value)
        assert schema.get("minimum", -1e9) <= float(new) <= schema.get("maximum", 1e9)
        assert (float(new) >= 0) or float(value) < 0
        if isinstance(value, str):
            assert len(new.partition(".")[2]) == len(value.partition(".")[2])


@pytest.mark.parametrize("value", [True, "five", None, [5]])
def test_what_is_no_number_is_not_moved(value: Any) -> None:
    assert shifted_number(value, {}, random.Random(0)) is None


def test_a_value_is_swapped_within_its_enumeration_or_for_another_querys() -> None:
    assert wrong(state("q4", {"period": "annual"}), "swap_value")[0] == {"period": "quarter"}
    assert wrong(STATES[2], "swap_value", seed=1)[0] in (
        {"symbol": "MSFT", "adjusted": True},
        {"symbol": "AAPL", "adjusted": False},
    )
    assert wrong(state("q5", {"note": "unique"}), "swap_value") is None


def test_the_argument_is_drawn_uniformly_among_those_that_can_change() -> None:
    counts = Counter(wrong(STATES[1], "swap_ticker", "shift_number", seed=seed)[1] for seed in range(600))
    # two changeable arguments with one rule each: binomial(600, 1/2), standard deviation 12
    assert abs(counts["swap_ticker"] - 300) < 5 * 12.3


def test_a_change_that_is_right_as_well_is_not_taken() -> None:
    made = wrong(STATES[2], "swap_value", seed=3, accepted=lambda arguments: arguments["adjusted"] is False)
    assert made[0] == {"symbol": "MSFT", "adjusted": True}
    assert wrong(STATES[2], "swap_value", accepted=lambda arguments: True) is None


def test_a_parallel_gold_call_is_never_made() -> None:
    of = state("q6", {"adjusted": True}, {"adjusted": False})
    assert wrong(of, "swap_value") is None


def test_no_rule_no_wrong_call() -> None:
    assert wrong(STATES[0]) is None
    assert wrong(state("q7", {}), "swap_value") is None
    assert wrong(state("q8", {"x": None, "y": {"a": []}, "z": ""}), "swap_value", "shift_number") is None
