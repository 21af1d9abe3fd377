"""Judgments per second of `plumbline.models.ask` on the embedded server, against a bare loop in the same run.

Both ask the same running llama.cpp for the first token of the same kind of prompts: states of about 300
tokens with eight arguments each, in the order in which argument judges are asked, as many in flight as the
model's settings say. The bare loop sends one request an argument and reads nothing. Ours keeps its journal
and makes every probability exact: it asks for a longer list, and again where that leaves a spelling out.
The two take turns on prompts of their own. The fastest round of each counts: other work only slows.

    python benchmarks/first_token_throughput.py --json
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from openai import AsyncOpenAI

from plumbline.arguments.first_token import yes_probability
from plumbline.arguments.questions import wanted_answers
from plumbline.config.argument_references import YesNo
from plumbline.config.models import Decoding, Model
from plumbline.models import Endpoint, Reply, Request, ask, asking, find_outcomes, serve

LEAST_RATIO = 0.9
ARGUMENTS = 8
TOP = 20
STATE = (
    "The traveller asks for two nights in a quiet hotel near the harbour, and for a car from the airport. "
    * 14
)


def prompts(states: int, salt: str) -> list[str]:
    """Give the prompts of some states, those of one state beside each other."""
    return [
        f"State {salt} {state}. {STATE}\nParameter: field_{argument}\nProposed value: {argument * 7}\n"
        "Is this the right value? Answer with one word: Yes or No."
        for state in range(states)
        for argument in range(ARGUMENTS)
    ]


def rate_of_ask(endpoint: Endpoint, model: Model, texts: list[str]) -> float:
    """Give the judgments per second of `ask`; its server runs already."""

    @contextmanager
    def running(*started: object) -> Iterator[Endpoint]:
        yield endpoint

    requests = [
        Request(
            text[:20] + text[-80:],
            ({"role": "user", "content": text},),
            Decoding(max_tokens=1),
            top_logprobs=TOP,
            answers=wanted_answers(YesNo()),
        )
        for text in texts
    ]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        asking.serve = running
        try:
            ask(requests, "small", model, journal=Path(folder), lane="bench", total=len(requests))
        finally:
            asking.serve = serve
        took = time.perf_counter() - start
        for _, reply in find_outcomes(requests, "small", model, journal=Path(folder)):
            assert isinstance(reply, Reply)
            read = yes_probability(reply, YesNo())
            assert read.status == "ok"
            assert read.lower == read.upper
    return len(texts) / took


def rate_of_bare_loop(endpoint: Endpoint, model: Model, texts: list[str]) -> float:
    """Give the judgments per second of a loop that sends the requests and does nothing else."""

    async def run() -> None:
        waiting = iter(texts)

        async def work(client: AsyncOpenAI) -> None:
            for text in waiting:
                await client.chat.completions.create(
                    model=endpoint.model_name,
                    messages=[{"role": "user", "content": text}],
                    temperature=0.0,
                    max_tokens=1,
                    logprobs=True,
                    top_logprobs=TOP,
                )

        async with AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key) as client:
            await asyncio.gather(*(work(client) for _ in range(model.concurrency)))

    start = time.perf_counter()
    asyncio.run(run())
    return len(texts) / (time.perf_counter() - start)


@click.command()
@click.option("--states", default=6, show_default=True, help="States of each round, eight arguments each.")
@click.option("--rounds", default=3, show_default=True, help="Rounds of each.")
@click.option("--in-flight", default=2, show_default=True, help="Requests in flight.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(states: int, rounds: int, in_flight: int, as_json: bool) -> None:
    """Compare; exits with 1 if the ratio is below 0.9."""
    settings = {"engine": "embedded", "context_length": 2048, "concurrency": in_flight}
    model = Model.model_validate({**settings, "embedded": {"backend": "llamacpp"}})
    ours, bare = [], []
    with serve("small", model) as endpoint:
        rate_of_bare_loop(endpoint, model, prompts(1, "warm up"))
        for number in range(rounds):
            bare.append(rate_of_bare_loop(endpoint, model, prompts(states, f"b{number}")))
            ours.append(rate_of_ask(endpoint, model, prompts(states, f"o{number}")))
    ratio = max(ours) / max(bare)
    result = {
        "ours_per_s": round(max(ours), 2),
        "bare_per_s": round(max(bare), 2),
        "ratio": round(ratio, 3),
        "rounds": [[round(a, 2), round(b, 2)] for a, b in zip(ours, bare, strict=True)],
    }
    print(json.dumps(result) if as_json else f"{result} (the ratio must be at least {LEAST_RATIO})")
    sys.exit(ratio < LEAST_RATIO)


if __name__ == "__main__":
    main()
