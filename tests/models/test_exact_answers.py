"""The embedded server tells the probability of any token: what is read is what its whole vocabulary says."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener
from urllib.request import Request as Page

import pytest

from plumbline.arguments.first_token import yes_probability
from plumbline.arguments.questions import wanted_answers
from plumbline.config.argument_references import YesNo
from plumbline.config.models import Decoding, Model
from plumbline.models import Endpoint, Reply, Request, ask, exact_answers, find_outcomes, serve
from plumbline.records import UserError

pytestmark = pytest.mark.usefixtures("embedded_weights")

ONE_TOKEN = Decoding(max_tokens=1)
QUESTIONS = ["Is two and two four? Answer Yes or No.", "Write a JSON object with the key name."]


@pytest.fixture(scope="module")
def small() -> Model:
    return Model.model_validate(
        {"engine": "embedded", "context_length": 512, "concurrency": 1, "embedded": {"backend": "llamacpp"}}
    )


@pytest.fixture(scope="module")
def server(small: Model, embedded_weights: Path) -> Iterator[Endpoint]:
    with serve("small", small) as endpoint:
        yield endpoint


def asked_of(server: Endpoint, page: str, body: dict) -> dict:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.api_key}"}
    request = Page(f"{server.base_url}{page}", json.dumps(body).encode(), headers)
    with build_opener(ProxyHandler({})).open(request) as response:
        return json.load(response)


def whole_vocabulary(server: Endpoint, text: str) -> float:
    """P(Yes) from the log-probabilities of every token of the vocabulary."""
    body = {"messages": [{"role": "user", "content": text}], "max_tokens": 1, "temperature": 0}
    data = asked_of(server, "/chat/completions", body | {"logprobs": True, "top_logprobs": 49152})
    listed = data["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    assert math.fsum(math.exp(one["logprob"]) for one in listed) == pytest.approx(1, abs=1e-3)
    return math.fsum(math.exp(one["logprob"]) for one in listed if one["token"].strip() == "Yes")


@pytest.mark.parametrize("listed", [exact_answers.LISTED, 2])
def test_the_probability_is_exact_even_where_the_list_does_not_reach(
    listed: int, small: Model, server: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_answers, "LISTED", listed)
    requests = [
        Request(
            text,
            ({"role": "user", "content": text},),
            ONE_TOKEN,
            top_logprobs=2,
            answers=wanted_answers(YesNo()),
        )
        for text in QUESTIONS
    ]
    ask(requests, "small", small, journal=tmp_path, lane="test", total=len(requests))
    outcomes = [outcome for _, outcome in find_outcomes(requests, "small", small, journal=tmp_path)]
    for text, reply in zip(QUESTIONS, outcomes, strict=True):
        assert isinstance(reply, Reply)
        read = yes_probability(reply, YesNo())
        assert read.status == "ok"
        assert read.score == read.lower == read.upper
        assert read.score == pytest.approx(whole_vocabulary(server, text), rel=1e-3)
        # two were wanted; kept besides are the spellings alone
        kept = [token for token, _ in reply.logprobs[0]["top"]]
        assert len(kept) > 2
        assert set(kept[2:]) <= set(reply.logprobs[0]["asked"])


def test_a_model_that_is_no_decision_model_stops_the_job_and_says_so(
    server: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMALL_KEY", server.api_key)
    typed = {"state": "Paris is in France.", "instructions": "Is Paris in France?"}
    model = Model(engine="decisions", base_url=server.base_url, api_key_env="SMALL_KEY")
    with pytest.raises(UserError, match="not a decision model.*cannot do this with the model"):
        ask([Request("one", (), ONE_TOKEN, typed=typed)], "d", model, journal=tmp_path, lane="t", total=1)
