"""Typed-question servers: one question a request, the model of every reply kept, faults as for chats."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from standin import FakeClock
from standin_decisions import TypedServer, answer

from plumbline.config.models import Decoding, Model
from plumbline.models import Failure, Reply, Request, ask, find_outcomes
from plumbline.records import UserError

STANDIN = Path(__file__).parents[1] / "standin_decisions.py"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPED_KEY", "secret")


def typed(name: str = "one", state: str = "A state.", question: str = "Is it right?") -> Request:
    return Request(name, (), Decoding(max_tokens=1), typed={"state": state, "instructions": question})


def model_at(url: str, **more: object) -> Model:
    settings = {"engine": "decisions", "model": "jev-1", "api_key_env": "TYPED_KEY", "max_attempts": 3}
    return Model.model_validate({**settings, "base_url": url, **more})


def outcomes(requests: list[Request], model: Model, journal: Path, clock: FakeClock | None = None):
    total = len(requests)
    ask(
        requests,
        "jev",
        model,
        journal=journal,
        lane="t",
        total=total,
        failed_share=1.0,
        clock=clock or FakeClock(),
    )
    return [outcome for _, outcome in find_outcomes(requests, "jev", model, journal=journal)]


@pytest.mark.parametrize("page", ["/v1", "/v1/systemone", "/api/alpha/decisions"])
def test_both_endpoints_are_asked_one_question_at_a_time(page: str, tmp_path: Path) -> None:
    with TypedServer(answer(0.75)) as server:
        (reply,) = outcomes([typed()], model_at(server.root + page), tmp_path)
    question = {"type": "noul", "instructions": "Is it right?"}
    assert server.bodies == [{"model": "jev-1", "state": "A state.", "questions": {"q": question}}]
    assert isinstance(reply, Reply)
    assert json.loads(reply.text or "") == {
        "model": "jev-1",
        "answers": {"q": {"type": "noul", "noul": 0.75}},
    }
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (40, 1)


def test_an_answer_in_the_journal_is_not_asked_for_again(tmp_path: Path) -> None:
    with TypedServer(answer(0.75)) as server:
        model = model_at(f"{server.root}/v1")
        outcomes([typed("one"), typed("two", state="Another."), typed("three")], model, tmp_path)
        outcomes([typed("one"), typed("four", question="Another?")], model, tmp_path)
    # equal questions are one request, whoever asks
    asked = [(body["state"], body["questions"]["q"]["instructions"]) for body in server.bodies]
    assert sorted(asked) == [
        ("A state.", "Another?"),
        ("A state.", "Is it right?"),
        ("Another.", "Is it right?"),
    ]


def test_busy_and_broken_servers_are_tried_again_and_malformed_questions_are_not(tmp_path: Path) -> None:
    def busy(body):
        return 429, {"detail": "slow down"}

    def broken(body):
        return 502, {"detail": "encoder away"}

    clock = FakeClock()
    with TypedServer(busy, broken, answer(0.5)) as server:
        (reply,) = outcomes([typed()], model_at(f"{server.root}/v1"), tmp_path / "a", clock)
    assert isinstance(reply, Reply)
    assert len(clock.waits) == 2
    with TypedServer(lambda body: (422, {"detail": "state must not be empty"})) as server:
        (failure,) = outcomes([typed()], model_at(f"{server.root}/v1"), tmp_path / "b")
    assert failure == Failure("rejected", "HTTP 422: state must not be empty")
    assert len(server.bodies) == 1


def test_a_wrong_key_stops_the_job_and_shows_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPED_KEY", "wrong-and-private")
    with TypedServer() as server, pytest.raises(UserError, match="The key is missing or wrong") as caught:
        outcomes([typed()], model_at(f"{server.root}/v1"), tmp_path)
    assert "wrong-and-private" not in str(caught.value)


def test_a_server_of_the_job_is_started_behind_its_encoder_with_a_key_of_its_own(tmp_path: Path) -> None:
    encoder = [sys.executable, "-m", "http.server", "{encoder_port}", "--bind", "127.0.0.1"]
    (tmp_path / "health").write_text("ok")
    encoder += ["--directory", str(tmp_path)]
    command = [sys.executable, str(STANDIN), "--port", "{port}"]
    model = Model.model_validate(
        {"engine": "decisions", "model": "clm-1", "decisions": {"command": command, "encoder": encoder}}
    )
    (reply,) = outcomes([typed()], model, tmp_path / "journal")
    assert isinstance(reply, Reply)
    assert json.loads(reply.text or "")["answers"]["q"]["noul"] == 0.25


def test_a_decisions_model_needs_an_address_or_a_command() -> None:
    with pytest.raises(ValueError, match="needs a base_url"):
        Model(engine="decisions")
