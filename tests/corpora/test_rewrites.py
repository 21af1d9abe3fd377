"""Rewrites are asked for where they are missing, checked by program, and fall back with a status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plumbline.config.settings import RunConfig
from plumbline.corpora.rewrites import (
    SCHEMA,
    lost_values,
    needs_rewrite,
    read_rewrite,
    rewrite_requests,
)
from plumbline.corpora.rewriting import ask_rewrites, read_rewrites
from plumbline.corpora.tier_queries import is_rewritten, tier_query
from plumbline.models.journal import Journal
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Failure, Reply
from plumbline.records import Rewrite, UserError

MEDIUM = "Could you look up SO-77 and give them 1,200 euros back?"
HARD = "so-77 wants twelve hundred... I mean 1200 back"
BOTH = json.dumps({"query_medium": MEDIUM, "query_hard": HARD})


@pytest.fixture
def prompts(project_root: Path) -> PromptSet:
    return PromptSet(project_root / "prompts")


def _config(engine="endpoint", **changes):
    return RunConfig.model_validate(
        {
            "run": "t",
            "corpus": {"sources": {"own": {"kind": "starter"}}},
            "models": {
                "m": {"engine": engine, "base_url": "http://localhost:1/v1", "decoding": {"max_tokens": 99}}
            },
            "rewrites": {"model": "m", "decoding": {"temperature": 0.5}},
            "generators": {"g": {"faults": ["none"]}},
            "judges": {"j": {"model": "m"}},
            "conditions": {"c": {"prompt": "x"}},
            "blocks": {"b": {"conditions": ["c"]}},
            **changes,
        }
    )


def _read(record, text, **more):
    return read_rewrite(record, "m", Reply(text, **more))


def test_only_records_that_lack_a_query_of_the_runs_tiers_are_rewritten(order):
    whole = order(queries={"easy": "e", "medium": "m", "hard": "h"})
    no_hard = order(queries={"easy": "e", "medium": "m", "hard": " "})
    assert not needs_rewrite(whole, ["easy", "medium", "hard"])
    assert needs_rewrite(no_hard, ["easy", "medium", "hard"])
    assert not needs_rewrite(no_hard, ["easy", "medium"])
    assert not needs_rewrite(order(), ["easy"])


def test_the_request_shows_query_calls_and_tools_and_the_rules(order, prompts):
    whole = order(id="r2", queries={"easy": "e", "medium": "m", "hard": "h"})
    (request,) = rewrite_requests([order(), whole], _config(), prompts)
    system, user = (message["content"] for message in request.messages)
    assert request.item == "r1"
    assert (request.decoding.temperature, request.decoding.max_tokens) == (0.5, 99)
    assert request.schema is None
    assert order().queries.easy in user
    assert '"order_id": "ORD-9001"' in user
    assert '"name": "find_order"' in user
    assert "query_medium" in system
    assert "query_hard" in system


def test_calls_and_tools_are_cut_after_pretty_printing(order, prompts, order_data):
    tools = [{**order_data["tools"][0], "description": "d" * 9000}, order_data["tools"][1]]
    long_calls = [{**order_data["expected_calls"][0], "arguments": {"number": "n" * 9000}}]
    record = order(tools=tools, expected_calls=long_calls, topology="single")
    (request,) = rewrite_requests([record], _config(), prompts)
    user = request.messages[1]["content"]
    # the head of each pretty-printed list: [, {, "name": ..., and then the long text up to the limit
    shown = json.dumps([{"name": "find_order", "arguments": {"number": "n" * 9000}}], indent=2)[:2000]
    assert shown in user
    assert user.count("n" * 1000) == shown.count("n" * 1000)
    offered = [{key: tool[key] for key in ("name", "description", "parameters")} for tool in tools[:1]]
    assert json.dumps(offered, indent=2)[:4000] in user
    assert len(user) < 2000 + 4000 + 500


def test_structured_output_asks_for_the_two_fields(order, prompts):
    config = _config(rewrites={"model": "m", "output": "structured"})
    (request,) = rewrite_requests([order()], config, prompts)
    assert request.schema == SCHEMA
    assert set(SCHEMA["required"]) == {"query_medium", "query_hard"}


def test_a_run_without_a_rewriter_is_an_error(order, prompts):
    with pytest.raises(UserError, match="rewrites"):
        list(rewrite_requests([order()], _config(rewrites=None), prompts))


@pytest.mark.parametrize(
    "text",
    [
        BOTH,
        f"```json\n{BOTH}\n```",
        f"<think>{{not this}}</think>\nHere you are:\n{BOTH}",
        json.dumps({"answer": {"query_medium": MEDIUM, "query_hard": HARD}}),
        BOTH[:-1],  # the closing brace is missing: the fields by pattern
        f"query_medium: {json.dumps(MEDIUM)}\nquery_hard: {json.dumps(HARD)}",
    ],
)
def test_an_answer_is_read_in_every_form(order, text):
    rewrite = _read(order(), text)
    assert rewrite.status == {"medium": "ok", "hard": "ok"}
    assert (rewrite.medium, rewrite.hard) == (MEDIUM, HARD)
    assert rewrite.text == text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("find order SO-77, and refund 1200 euros to it!", "unchanged"),
        ("Refund SO-77.", "values_lost"),
        ("Refund 1200 to SO-78.", "values_lost"),
        ("Refund 120 to SO-77.", "values_lost"),
        ("Refund 1.2k to so 77.", "ok"),
        (None, "malformed"),
        (7, "malformed"),
        (["x"], "malformed"),
    ],
)
def test_each_query_is_judged_alone(order, query, status):
    rewrite = _read(order(), json.dumps({"query_medium": query, "query_hard": HARD}))
    assert rewrite.status == {"medium": status, "hard": "ok"}
    assert (rewrite.medium is None) == (status != "ok")
    assert rewrite.hard == HARD
    assert (rewrite.detail is None) == (status == "ok")


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply(""), "empty"),
        (Reply("<think>hm</think>"), "empty"),
        (Reply(BOTH, finish_reason="length"), "truncated"),
        (Reply('{"query_medium": "Could you'), "truncated"),
        (Reply("Fine."), "malformed"),
        (Reply("[1, 2]"), "malformed"),
        (Reply("I'm sorry, I cannot help with that."), "refused"),
        (Reply(BOTH, finish_reason="content_filter"), "refused"),
        (Reply(None, refusal="No."), "refused"),
        (Failure("overflow", "too long"), "overflow"),
        (Failure("gave_up", "no answer"), "gave_up"),
        (None, "not_asked"),
    ],
)
def test_an_answer_that_cannot_be_read_has_a_status_and_no_query(order, reply, status):
    rewrite = read_rewrite(order(), "m", reply)
    assert rewrite.status == {"medium": status, "hard": status}
    assert rewrite.medium is None
    assert rewrite.hard is None
    assert rewrite.detail


def test_only_required_values_that_the_original_holds_must_remain(order, order_data):
    # ORD-9001 comes from a return, and the note is not required: neither is missed
    first, second = order_data["expected_calls"]
    second = {**second, "arguments": {**second["arguments"], "note": "euros"}}
    record = order(expected_calls=[first, second])
    assert lost_values(record, "nothing at all") == ["SO-77", 1200]
    optional = order(expected_calls=[first, {**second, "optional": ["amount"]}])
    assert lost_values(optional, "nothing at all") == ["SO-77"]


def test_each_tier_gets_its_query_and_says_where_it_comes_from(order):
    easy = order().queries.easy
    own = order(queries={"easy": easy, "medium": "my own"})
    rewrite = Rewrite(record_id="r1", model="m", hard=HARD, status={"medium": "values_lost", "hard": "ok"})
    assert tier_query(order(), rewrite, "easy") == (easy, "original")
    assert tier_query(order(), rewrite, "hard") == (HARD, "ok")
    assert tier_query(order(), rewrite, "medium") == (easy, "values_lost")
    assert tier_query(order(), None, "medium") == (easy, "not_asked")
    assert tier_query(own, rewrite, "medium") == ("my own", "given")
    released = order(queries={"easy": easy, "medium": "theirs"}, rewrite={"medium": "failed"})
    assert tier_query(released, None, "medium") == ("theirs", "failed")


@pytest.mark.parametrize(
    ("own", "word", "written"),
    [
        ("theirs", "unknown", True),
        ("theirs", "UNKNOWN", True),
        ("theirs", "ok", True),
        ("theirs", None, True),
        (None, "failed", False),
        (None, None, False),
        ("EASY", "failed", False),  # the original query, kept in the place of the rewrite
        ("EASY", "unknown", False),
    ],
)
def test_a_tier_has_a_query_of_its_own_if_one_is_used_whatever_its_status(order, own, word, written):
    easy = order().queries.easy
    record = order(
        queries={"easy": easy, "hard": easy if own == "EASY" else own},
        rewrite={} if word is None else {"hard": word},
    )
    assert is_rewritten(record, None, "hard") is written
    assert is_rewritten(record, None, "easy") is True


def test_a_rewrite_of_this_run_counts_only_if_it_is_ok(order):
    rewrite = Rewrite(record_id="r1", model="m", hard=HARD, status={"medium": "values_lost", "hard": "ok"})
    assert is_rewritten(order(), rewrite, "hard")
    assert not is_rewritten(order(), rewrite, "medium")


def test_rewrites_are_read_from_the_journal_and_never_asked_again(order, prompts, tmp_path):
    config = _config()
    records = [order(id=f"r{n}") for n in range(4)]
    answer = Reply(BOTH, finish_reason="stop")
    with Journal(tmp_path).writer("a") as writer:
        for request in rewrite_requests(records, config, prompts):
            writer.append(request.key("m", config.models["m"]), request.item, answer)
    # there is no server: a request would fail
    assert ask_rewrites(records, config, prompts, journal=tmp_path, lane="b").reused == 4
    read = list(read_rewrites(records, config, prompts, journal=tmp_path))
    assert [rewrite.record_id for rewrite in read] == ["r0", "r1", "r2", "r3"]
    assert all(rewrite.status == {"medium": "ok", "hard": "ok"} for rewrite in read)
    later = list(read_rewrites([order(id="r9")], config, prompts, journal=tmp_path))
    assert later[0].status == {"medium": "not_asked", "hard": "not_asked"}


def test_simulated_rewrites_need_no_journal(order, prompts, tmp_path):
    (read,) = read_rewrites([order(id="r0")], _config("simulated"), prompts, journal=tmp_path)
    assert read.status == {"medium": "ok", "hard": "ok"}
