"""Every case of server_faults.jsonl, against a real server."""

import json
import math
import sys
import time
from operator import itemgetter
from pathlib import Path

import pytest
from standin import GOOD_TEXT, SCHEMA, FakeClock, ScaledClock, StandIn, endpoint, questions

from plumbline.config.models import Model
from plumbline.models import Failure, Reply, ask, find_outcomes
from plumbline.records import UserError

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "server_faults.jsonl").read_text().splitlines()
]
STANDIN_VLLM = Path(__file__).parents[1] / "standin_vllm.py"
KEY = "sk-test-not-a-key"


def of_kind(*kinds):
    cases = [case for case in CASES if case["fault"]["where"] in kinds]
    return pytest.mark.parametrize("case", cases, ids=itemgetter("id"))


def replies_of(fault):
    if fault["where"] != "choice":
        return fault.get("replies", [{"good": True}])
    ids = fault.get("response_ids", ["chatcmpl-1"])
    if len(ids) > 1:
        marks = iter(("first", "second"))
        return [{"choice": {**fault["choice"], "message": {"content": next(marks)}}, "id": k} for k in ids]
    return [{"choice": fault["choice"]}]


def run(standin_url, fault, journal, clock, monkeypatch, schema=None):
    """Ask the case's items; give the outcomes and the message with which the job stopped, if it did."""
    monkeypatch.setenv("STANDIN_KEY", KEY)
    model = endpoint(
        standin_url,
        model=fault.get("model", "judge"),
        concurrency=fault.get("concurrency", 1),
        api_key_env="STANDIN_KEY",
    )
    items = questions(fault.get("items", 1), schema=schema)
    message = None
    try:
        ask(items, "judge", model, journal=journal, lane="case", total=len(items), clock=clock)
    except UserError as error:
        message = str(error)
    return [outcome for _, outcome in find_outcomes(items, "judge", model, journal=journal)], message


def word(outcome):
    if outcome is None:
        return "none"
    return "answered" if isinstance(outcome, Reply) else outcome.status


@of_kind("request", "probe", "choice")
def test_the_client_makes_of_a_fault_what_the_case_says(case, tmp_path, monkeypatch, capfd):
    fault, expect = case["fault"], case["expect"]
    listed = fault.get("models_listed", [fault.get("model", "judge")])
    canary = fault.get("canary_reply")
    clock = FakeClock()
    with StandIn(replies_of(fault), listed, canary) as server:
        schema = SCHEMA if canary else None
        outcomes, message = run(server.url, fault, tmp_path, clock, monkeypatch, schema)
    found = [word(outcome) for outcome in outcomes]
    assert (message is None) == (expect["cell"] == "finishes")
    if "items" in expect:
        assert len(found) == expect["items"]
        assert found.count("answered") == expect["answered"]
    else:
        assert found == [expect["item"]]
        assert len(server.bodies) == expect["requests"]
    assert sum(clock.waits) >= expect.get("wait_s_min", 0)
    for part in expect.get("message_has", ()):
        assert part.lower() in message.lower()
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    shown = "".join((message or "", *capfd.readouterr(), *written))
    for part in (KEY, *expect.get("message_lacks", ())):
        assert part not in shown


@of_kind("request", "probe", "choice")
def test_a_later_run_takes_complete_replies_from_the_journal(case, tmp_path, monkeypatch):
    fault, expect = case["fault"], case["expect"]
    listed, canary = fault.get("models_listed", [fault.get("model", "judge")]), fault.get("canary_reply")
    schema = SCHEMA if canary else None
    with StandIn(replies_of(fault), listed, canary) as server:
        run(server.url, fault, tmp_path, FakeClock(), monkeypatch, schema)
    with StandIn(listed=[fault.get("model", "judge")]) as server:
        outcomes, message = run(server.url, fault, tmp_path, FakeClock(), monkeypatch, schema)
    expected = expect.get("next_run_requests", 0 if expect.get("reuse", True) else 1)
    assert len(server.bodies) == expected
    assert message is None
    assert all(isinstance(outcome, Reply) for outcome in outcomes)


@of_kind("choice")
def test_an_odd_choice_reaches_the_parser_as_the_server_sent_it(case, tmp_path, monkeypatch):
    fault = case["fault"]
    with StandIn(replies_of(fault)) as server:
        outcomes, _ = run(server.url, fault, tmp_path, FakeClock(), monkeypatch)
    if "response_ids" in fault:
        assert [outcome.text for outcome in outcomes] == ["first", "second"]
        return
    (reply,) = outcomes
    message = {"content": GOOD_TEXT, **fault["choice"].get("message", {})}
    assert reply.text == message["content"]
    assert reply.reasoning == message.get("reasoning")
    assert reply.finish_reason == fault["choice"].get("finish_reason", "stop")
    if "judge" in fault:
        score, reason = yes_probability(reply)
        assert score == pytest.approx(case["expect"]["score"])
        assert reason == case["expect"].get("reason")


def yes_probability(reply):
    """P("Yes") at the first token by the rule of the cases' README, or the reason why there is none."""
    if reply.logprobs is None:
        return None, "no_logprobs"
    values = [value for token, value in reply.logprobs[0]["top"] if token.strip() == "Yes"]
    if any(not math.isfinite(value) for value in values):
        return None, "non_finite"
    values = [value for value in values if value > -9999.0]
    return (sum(map(math.exp, values)), None) if values else (None, "token_missing")


@of_kind("start")
def test_the_start_of_a_server_goes_as_the_case_says(case, tmp_path):
    fault, expect = case["fault"], case["expect"]
    clock, notes = ScaledClock(), tmp_path / "notes.json"
    if "stops_within_s" in expect:
        clock.factor = 2.0  # leaves the stand-in itself time to start
    options = ["--notes", str(notes)]
    for key, option in (("ready_after_s", "--ready-after"), ("exits_after_s", "--exits-after")):
        if key in fault:
            options += [option, str(fault[key] / clock.factor)]
    for line in fault.get("log_tail", ()):
        options += ["--says", line]
    command = [sys.executable, str(STANDIN_VLLM), *options]
    model = Model(engine="vllm", vllm={"command": command}, start_limit_s=fault["start_limit_s"])
    (request,) = questions(1)
    began, message = clock.now(), ""
    try:
        ask([request], "judge", model, journal=tmp_path / "journal", lane="case", total=1, clock=clock)
    except UserError as error:
        message = str(error)
    took = clock.now() - began
    ((_, outcome),) = find_outcomes([request], "judge", model, journal=tmp_path / "journal")
    assert word(outcome) == expect["item"]
    for part in expect.get("message_has", ()):
        assert part.lower() in message.lower()
    if expect["cell"] == "finishes":
        assert took > fault["ready_after_s"]
        assert json.loads(notes.read_text())["replies"] == expect["requests"]
    else:
        assert took < expect["stops_within_s"]
        assert not notes.exists()


def test_a_server_that_is_never_ready_is_given_up_at_the_limit(tmp_path):
    command = [sys.executable, str(STANDIN_VLLM), "--ready-after", "60"]
    model = Model(engine="vllm", vllm={"command": command}, start_limit_s=30)
    began = time.monotonic()
    with pytest.raises(UserError, match=r"not ready after 30 s \(start_limit_s\)(.|\n)*vLLM stand-in"):
        ask(questions(1), "j", model, journal=tmp_path, lane="l", total=1, clock=ScaledClock())
    assert time.monotonic() - began < 10


def test_a_child_that_dies_mid_run_ends_the_job_with_its_last_lines(tmp_path):
    options = ["--dies-after-replies", "2", "--exit-code", "7", "--says", "CUDA error: device lost"]
    model = Model(
        engine="vllm", vllm={"command": [sys.executable, str(STANDIN_VLLM), *options]}, concurrency=1
    )
    items = questions(5)
    with pytest.raises(UserError, match=r"exit code 7(.|\n)*CUDA error: device lost"):
        ask(items, "j", model, journal=tmp_path, lane="l", total=5, clock=ScaledClock())
    found = [outcome for _, outcome in find_outcomes(items, "j", model, journal=tmp_path)]
    assert [word(outcome) for outcome in found] == ["answered"] * 2 + ["none"] * 3
    assert not any(isinstance(outcome, Failure) for outcome in found)
