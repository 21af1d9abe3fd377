"""What a generator is asked, and what becomes of its reply."""

import json
from pathlib import Path

import pytest

from plumbline.config.settings import RunConfig
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Failure, Reply
from plumbline.plans.generation import generation_request, read_reply
from plumbline.records.errors import UserError
from plumbline.records.model import ExpectedCall, Queries, Record, Tool, Usage

PROMPTS = PromptSet(Path(__file__).parents[2] / "prompts")

RECORD = Record(
    id="r1",
    source="test",
    domain="test",
    topology="single",
    system_prompt="Write each call as {name, arguments}.",
    queries=Queries(easy="Where is {{ 7 * 7 }} Elm Street?"),
    tools=(Tool(name="find_place", description="Finds a place."), Tool(name="book_taxi")),
    expected_calls=(ExpectedCall(id="s1", name="find_place", arguments={"street": "Elm Straße"}),),
)


def config(engine: str = "embedded") -> RunConfig:
    return RunConfig.model_validate(
        {
            "run": "trial",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "models": {"m": {"engine": engine, "decoding": {"max_tokens": 99}}},
            "generators": {"g": {"model": "m", "decoding": {"temperature": 0.01}}, "p": {"faults": ["none"]}},
            "judges": {"j": {"model": "m"}},
            "conditions": {"c": {"prompt": "p"}},
            "blocks": {"main": {"conditions": ["c"]}},
        }
    )


def test_the_user_message_is_the_query_and_nothing_else() -> None:
    request = generation_request(config(), "g", RECORD, "easy", RECORD.queries.easy, PROMPTS)
    assert [message["role"] for message in request.messages] == ["system", "user"]
    assert request.messages[1]["content"] == RECORD.queries.easy


def test_the_system_message_has_the_rules_then_the_records_own_prompt_then_the_tools() -> None:
    request = generation_request(config(), "g", RECORD, "hard", "?", PROMPTS)
    system = request.messages[0]["content"]
    rules, own, rest = system.partition("Write each call as {name, arguments}.")
    assert own and "simulation" in rules and "raw JSON array" in rules and "[]" in rules
    heading, _, tools = rest.partition("# Available tools")
    assert heading.strip() == ""
    assert [tool["name"] for tool in json.loads(tools)] == ["find_place", "book_taxi"]


def test_all_tiers_of_a_record_share_the_system_message() -> None:
    easy, hard = (generation_request(config(), "g", RECORD, tier, tier, PROMPTS) for tier in ("easy", "hard"))
    assert easy.messages[0] == hard.messages[0]
    assert (easy.item, hard.item) == ("r1|easy", "r1|hard")


def test_the_generators_decoding_changes_the_models() -> None:
    request = generation_request(config(), "g", RECORD, "easy", "?", PROMPTS)
    assert (request.decoding.temperature, request.decoding.max_tokens) == (0.01, 99)


def test_a_simulated_model_gets_the_expected_calls_and_no_prompt() -> None:
    request = generation_request(config("simulated"), "g", RECORD, "easy", "?", PROMPTS)
    assert request.messages == () and request.simulation is not None
    assert request.simulation == {
        "kind": "plan",
        "tier": "easy",
        "calls": [{"name": "find_place", "arguments": {"street": "Elm Straße"}}],
    }


def test_a_generator_of_faults_asks_nothing() -> None:
    with pytest.raises(UserError, match="p applies faults"):
        generation_request(config(), "p", RECORD, "easy", "?", PROMPTS)


def test_a_readable_reply_becomes_an_ok_plan_with_its_words_and_tokens() -> None:
    text = '[{"name": "find_place", "arguments": {"street": "Elm"}}]'
    usage = Usage(prompt_tokens=5, completion_tokens=3)
    plan = read_reply(Reply(text, finish_reason="stop", usage=usage), "r1", "easy", "g")
    assert (plan.status, plan.text, plan.usage) == ("ok", text, usage)
    assert plan.calls is not None and [(c.name, c.arguments) for c in plan.calls] == [
        ("find_place", {"street": "Elm"})
    ]


def test_an_empty_array_is_an_ok_plan_without_calls() -> None:
    plan = read_reply(Reply("[]", finish_reason="stop"), "r1", "easy", "g")
    assert (plan.status, plan.calls) == ("ok", ())


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Reply("", finish_reason="stop"), "empty"),
        (Reply(None, finish_reason="stop"), "empty"),
        (Reply("I would look the place up first.", finish_reason="stop"), "malformed"),
        (Reply('[{"name": "find_place", "argu', finish_reason="length"), "truncated"),
        (Reply(None, refusal="I cannot help with that.", finish_reason="stop"), "refused"),
        (Reply(None, finish_reason="content_filter"), "refused"),
        (Failure("overflow", "9000 tokens, 8192 fit"), "overflow"),
        (Failure("gave_up", "4 attempts"), "gave_up"),
        (None, "not_asked"),
    ],
)
def test_what_is_no_plan_is_a_status_and_never_calls(outcome: Reply | Failure | None, status: str) -> None:
    plan = read_reply(outcome, "r1", "hard", "g")
    assert (plan.status, plan.calls) == (status, None)
    assert (plan.record_id, plan.tier, plan.generator) == ("r1", "hard", "g")
