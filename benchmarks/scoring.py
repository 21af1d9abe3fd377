"""Time the scorer at the paper's size: 53,608 plans of 3,808 records on one core, in less than 20 s."""

from __future__ import annotations

import random
import time

import click

from plumbline.config.settings import Scoring
from plumbline.plans.scoring import score_plans
from plumbline.records.model import ExpectedCall, Plan, Queries, Record, Tool, ToolCall

LIMIT_S = 20.0


def make_records(count: int, rng: random.Random) -> list[Record]:
    """Make records with 8 to 19 tools and 2 to 5 expected calls."""
    records = []
    for number in range(count):
        tools = tuple(
            Tool(name=f"tool_{t}", parameters={"type": "object", "properties": {k: {} for k in "abcdef"}})
            for t in range(rng.randint(8, 19))
        )
        calls = tuple(
            ExpectedCall(id=f"s{n}", name=rng.choice(tools).name, arguments=dict.fromkeys("abc", n))
            for n in range(rng.randint(2, 5))
        )
        records.append(
            Record(
                id=f"r{number}",
                source="benchmark",
                domain="benchmark",
                topology="linear",
                queries=Queries(easy="?"),
                tools=tools,
                expected_calls=calls,
            )
        )
    return records


def make_plan(record: Record, number: int, rng: random.Random) -> Plan:
    """Make a plan that is partly right."""
    calls = tuple(
        ToolCall(
            name=call.name if rng.random() < 0.8 else rng.choice(record.tools).name,
            arguments=dict.fromkeys("abcd"[: rng.randint(2, 4)], 0),
        )
        for call in record.expected_calls
    )
    return Plan(record_id=record.id, tier="easy", generator=f"g{number % 5}", status="ok", calls=calls)


@click.command()
@click.option("--plans", "count", default=53_608, help="Plans to score.")
def main(count: int) -> None:
    """Score plans under the paper's reading and under the slowest one; fail if either is too slow."""
    rng = random.Random(0)
    records = make_records(3_808, rng)
    plans = [make_plan(records[n % len(records)], n, rng) for n in range(count)]
    slowest = Scoring(repeated_expected="best", extra_keys="schema_aware", rounding="released")
    for name, settings in (("paper", Scoring()), ("slowest", slowest)):
        start = time.process_time()
        rows = len(score_plans(plans, records, settings))
        took = time.process_time() - start
        click.echo(f"{name}: {rows} plans in {took:.2f} s ({rows / took:,.0f} a second)")
        if took > LIMIT_S * count / 53_608:
            raise SystemExit(f"slower than {LIMIT_S} s for 53,608 plans")


if __name__ == "__main__":
    main()
