import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from standin import GOOD_TEXT, SCHEMA, FakeClock, StandIn, endpoint, questions

from plumbline.config.models import Decoding, Model
from plumbline.models import Failure, Journal, Reply, Request, ask, find_outcomes
from plumbline.records import UserError

ASKER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from standin import endpoint, questions
from plumbline.models import ask
items = questions(80)
ask(items, "judge", endpoint(sys.argv[1]), journal=Path(sys.argv[2]), lane="l", total=80)
"""


def run(items, server, journal, **settings):
    settings = {"lane": "l", "total": len(items), "clock": FakeClock(), **settings}
    model = settings.pop("model", None) or endpoint(server.url)
    return ask(items, "judge", model, journal=journal, **settings)


def outcomes(items, journal, model=None, **settings):
    model = model or endpoint("http://anywhere.example/v1")
    return [outcome for _, outcome in find_outcomes(items, "judge", model, journal=journal, **settings)]


def text(content, **choice):
    return {"choice": {"message": {"content": content}, **choice}}


def test_a_job_whose_answers_are_all_in_the_journal_makes_no_connection_and_starts_no_server(tmp_path):
    items = questions(5)
    with StandIn() as server:
        run(items, server, tmp_path / "journal")
    with StandIn() as server:
        report = run(items, server, tmp_path / "journal")
        assert server.connections == 0
    assert (report.reused, report.answered) == (5, 0)
    started = tmp_path / "started"
    vllm = Model(engine="vllm", model="judge", vllm={"command": ["/bin/sh", "-c", f"touch {started}"]})
    report = run(items, None, tmp_path / "journal", model=vllm)
    assert report.reused == 5
    assert not started.exists()
    with pytest.raises(UserError, match="the server ended"):
        run(questions(6), None, tmp_path / "journal", model=vllm)
    assert started.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_job_killed_at_any_moment_asks_no_answered_request_twice(tmp_path, number):
    with StandIn(latency_s=0.03) as server:
        command = [sys.executable, "-c", ASKER, server.url, str(tmp_path), str(Path(__file__).parents[1])]
        child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while len(server.bodies) < 25:
            time.sleep(0.002)
        child.send_signal(number)
        child.communicate(timeout=20)
        assert child.returncode != 0
        time.sleep(0.1)
        before = len(server.bodies)
        model = endpoint(server.url)
        kept = Journal(tmp_path).answered()
        answered = {item.messages[0]["content"] for item in questions(80) if item.key("judge", model) in kept}
        assert 10 < len(answered) < 80
        report = run(questions(80), server, tmp_path)
        second = server.prompts[before:]
    assert report.reused == len(answered)
    assert len(second) == len(set(second)) == 80 - len(answered)
    assert not answered & set(second)
    assert all(isinstance(outcome, Reply) for outcome in outcomes(questions(80), tmp_path))


def test_equal_requests_are_asked_once_at_temperature_0_and_each_above_it(tmp_path):
    twins = [dataclasses.replace(item, item=f"{n}") for n, item in enumerate(questions(1) * 3)]
    with StandIn(latency_s=0.05) as server:
        report = run(twins, server, tmp_path)
        assert len(server.bodies) == 1
        assert (report.answered, report.shared) == (1, 2)
        assert outcomes(twins, tmp_path) == [outcomes(twins, tmp_path)[0]] * 3
        run([dataclasses.replace(one, decoding=Decoding(temperature=1.0)) for one in twins], server, tmp_path)
        assert len(server.bodies) == 1 + 3


def test_requests_are_taken_one_by_one(tmp_path):
    taken = 0
    most_ahead = 0

    def lazily():
        nonlocal taken, most_ahead
        for item in questions(200):
            taken += 1
            most_ahead = max(most_ahead, taken - len(server.bodies))
            yield item

    with StandIn() as server:
        ask(lazily(), "judge", endpoint(server.url), journal=tmp_path, lane="l", total=200)
    assert len(server.bodies) == 200
    assert most_ahead <= 4 + 1  # the concurrency, and the one that was looked at before the server


def test_as_many_requests_are_in_flight_as_the_model_allows(tmp_path):
    flying, most = 0, 0
    lock = threading.Lock()

    def slowly(body):
        nonlocal flying, most
        with lock:
            flying += 1
            most = max(most, flying)
        time.sleep(0.05)
        with lock:
            flying -= 1
        return {"good": True}

    with StandIn([slowly]) as server:
        run(questions(40), server, tmp_path, model=endpoint(server.url, concurrency=8))
    assert most == 8


def is_readable(request, reply):
    return reply.text == GOOD_TEXT


def test_an_unreadable_answer_is_asked_for_again_above_temperature_0_only(tmp_path):
    with StandIn([text("hm")]) as server:
        for item, requests in ((questions(1)[0], 1), (questions(1, temperature=0.7)[0], 3)):
            before = len(server.bodies)
            run([item], server, tmp_path, readable=is_readable, attempts=2)
            assert len(server.bodies) - before == requests


def test_repeats_end_with_the_first_readable_answer_and_a_killed_chain_goes_on(tmp_path):
    (item,) = questions(1, temperature=0.7)
    with StandIn([text("hm"), text("hm?"), {"good": True}]) as server:
        run([item], server, tmp_path, readable=is_readable, attempts=1)
        assert [reply.text for reply in outcomes([item], tmp_path, attempts=1)] == ["hm?"]
        report = run([item], server, tmp_path, readable=is_readable, attempts=4)
        assert len(server.bodies) == 3
        assert report.answered == 1
    assert [reply.text for reply in outcomes([item], tmp_path, attempts=4)] == [GOOD_TEXT]
    assert [reply.text for reply in outcomes([item], tmp_path, attempts=0)] == ["hm"]


@pytest.mark.parametrize(
    "choice",
    [{"finish_reason": "content_filter"}, {"message": {"content": "hm", "refusal": "I will not."}}],
    ids=str,
)
def test_a_refusal_is_not_asked_for_again(tmp_path, choice):
    with StandIn([{"choice": choice}]) as server:
        run(questions(1, temperature=0.7), server, tmp_path, readable=lambda *_: False, attempts=2)
    assert len(server.bodies) == 1


def test_a_status_that_is_listed_is_asked_again_and_the_new_answer_counts(tmp_path):
    items = questions(2)
    with StandIn([text("old", finish_reason="length"), {"good": True}]) as server:
        run(items, server, tmp_path, model=endpoint(server.url, concurrency=1))
        run(items, server, tmp_path, ask_again=lambda request, reply: reply.finish_reason == "length")
        assert len(server.bodies) == 3
    assert [reply.text for reply in outcomes(items, tmp_path)] == [GOOD_TEXT, GOOD_TEXT]


def failing(*names):
    def reply(body):
        if body["messages"][-1]["content"] in names:
            return {"http": 422, "body": {"error": {"message": "unknown argument `foo`"}}}
        return {"good": True}

    return reply


def test_a_few_failures_are_counted_and_asked_again_by_the_next_run(tmp_path):
    items = questions(40)
    with StandIn([failing("plan 3", "plan 7")]) as server:
        report = run(items, server, tmp_path)
        assert report.failed == {"rejected": 2}
        assert isinstance(outcomes(items, tmp_path)[3], Failure)
        server.replies = [{"good": True}]
        report = run(items, server, tmp_path)
    assert (report.answered, report.reused) == (2, 38)
    assert all(isinstance(outcome, Reply) for outcome in outcomes(items, tmp_path))


def test_too_many_failures_in_one_cell_stop_the_job_although_the_lane_bears_them(tmp_path):
    items = questions(40)
    cells = {item.item: "small" if n < 4 else "large" for n, item in enumerate(items)}
    with StandIn([failing("plan 3")]) as server, pytest.raises(UserError) as error:
        run(items, server, tmp_path, label=lambda request: cells[request.item])
    assert "cell small: 1 of 4 items failed" in str(error.value)
    assert "unknown argument `foo`" in str(error.value)
    assert len(server.bodies) == 40


def test_an_overflow_is_counted_and_stops_nothing(tmp_path):
    too_long = {"http": 400, "body": {"error": {"message": "", "type": "exceed_context_size_error"}}}
    with StandIn([too_long]) as server:
        report = run(questions(3), server, tmp_path)
    assert report.failed == {"overflow": 3}


def test_requests_keep_the_providers_pace(tmp_path):
    clock = FakeClock()
    with StandIn() as server:
        model = endpoint(server.url, requests_per_minute=6, concurrency=1)
        run(questions(5), server, tmp_path, model=model, clock=clock)
    # the list of models and five questions; a minute has a second to spare
    assert sum(clock.waits) == pytest.approx(5 * 61 / 6)


def test_a_server_that_lists_no_models_is_asked_all_the_same(tmp_path):
    with StandIn(listed=None) as server:
        assert run(questions(1), server, tmp_path).answered == 1


def test_the_constraint_is_checked_once_a_job(tmp_path):
    asked = []
    with StandIn() as server:
        original = server.take
        server.take = lambda body: asked.append(body["response_format"]) or original(body)
        run(questions(8, schema=SCHEMA), server, tmp_path)
        assert len(server.bodies) == len(asked) == 8
    assert asked[0]["json_schema"]["schema"] == SCHEMA


def test_simulated_answers_are_drawn_and_fill_no_journal(tmp_path):
    model = Model(engine="simulated")
    scores = dict.fromkeys(("tool_selection", "parameter_structure", "sequence", "query_coverage"), 1.0)
    payload = {"kind": "verdict", "condition": "with_gt", "scores": scores}
    items = [Request(f"i{n}", (), Decoding(), simulation=payload) for n in range(50)]
    report = run(items, None, tmp_path, model=model)
    assert (report.total, report.answered) == (50, 0)
    found = outcomes(items, tmp_path, model)
    assert all(set(json.loads(reply.text)) == {*scores, "overall_assessment"} for reply in found)
    assert found == outcomes(items, tmp_path, model)
    assert list(tmp_path.iterdir()) == []


def test_a_job_says_how_far_it_is(tmp_path, capfd):
    with StandIn() as server:
        labels = {"label": lambda request: "cell", "totals": {"cell": 3}}
        run(questions(3), server, tmp_path, **labels)
        run(questions(3), server, tmp_path, **labels)
    lines = capfd.readouterr().err.splitlines()
    assert lines[0].startswith("judge l: cell 3/3")
    assert "judge l: 3/3 items" in lines[1]
    assert "30 prompt and 15 answer tokens" in lines[1]
    assert "3 from the journal" in lines[-1]


def test_no_key_reaches_journal_log_or_message(tmp_path, monkeypatch, capfd):
    key = "plain-secret-0123456789"
    monkeypatch.setenv("STANDIN_KEY", key)
    told = {"http": 400, "body": {"error": {"message": f"bad request of {key}"}}}
    with StandIn([told]) as server, pytest.raises(UserError) as error:
        run(questions(1), server, tmp_path, model=endpoint(server.url, api_key_env="STANDIN_KEY"))
    assert server.headers[0]["Authorization"] == f"Bearer {key}"
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    for shown in (str(error.value), *capfd.readouterr(), *written):
        assert key not in shown
    assert os.environ["STANDIN_KEY"] == key
