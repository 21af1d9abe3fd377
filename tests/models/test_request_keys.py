import dataclasses

import pytest

from plumbline.config.models import Decoding, DecodingChanges, Model
from plumbline.models import Request
from plumbline.models.requests import sent_messages
from plumbline.models.wire import body_of
from plumbline.records import UserError

MODEL = Model(engine="endpoint", base_url="http://one.example:8000/v1", model="judge-7b", revision="abc")
PROMPT = ({"role": "system", "content": "Be strict."}, {"role": "user", "content": "Judge this."})
REQUEST = Request("r1|easy|perturb|with_gt", PROMPT, Decoding())


def changed(**changes):
    return MODEL.model_copy(update=changes)


@pytest.mark.parametrize(
    "other",
    [
        changed(base_url="https://two.example/v1"),
        changed(api_key_env="KEY"),
        changed(concurrency=64),
        changed(requests_per_minute=10),
        changed(max_attempts=9),
        changed(read_timeout_s=1.0),
        changed(start_limit_s=1.0),
        changed(prices=MODEL.prices.model_copy(update={"input": 3.0})),
    ],
    ids=lambda model: str(model.model_dump(exclude_defaults=True))[-40:],
)
def test_host_port_speed_and_price_leave_the_key_alone(other):
    assert REQUEST.key("judge", other) == REQUEST.key("judge", MODEL)


@pytest.mark.parametrize(
    "changes",
    [
        {"messages": PROMPT[1:]},
        {"decoding": Decoding(max_tokens=7)},
        {"decoding": Decoding(top_p=0.5)},
        {"decoding": Decoding(seed=1)},
        {"decoding": Decoding(thinking=False)},
        {"decoding": Decoding(extra={"reasoning_effort": "low"})},
        {"schema": {"type": "object"}},
        {"top_logprobs": 20},
        {"replicate": 1},
        {"attempt": 1},
    ],
    ids=str,
)
def test_what_can_change_the_answer_changes_the_key(changes):
    other = dataclasses.replace(REQUEST, **changes)
    assert other.key("judge", MODEL) != REQUEST.key("judge", MODEL)


def test_model_revision_and_weights_are_part_of_the_key():
    embedded = Model(engine="embedded")
    other_file = embedded.model_copy(
        update={"embedded": embedded.embedded.model_copy(update={"file": "other.gguf"})}
    )
    keys = {
        REQUEST.key("judge", MODEL),
        REQUEST.key("judge", changed(revision="def")),
        REQUEST.key("judge", changed(model="judge-8b")),
        REQUEST.key("twin", MODEL),
        REQUEST.key("judge", embedded),
        REQUEST.key("judge", other_file),
    }
    assert len(keys) == 6


def vllm_key(*flags):
    return REQUEST.key("judge", Model(engine="vllm", model="judge-7b", vllm={"flags": list(flags)}))


@pytest.mark.parametrize(
    "flags",
    [
        ["--quantization", "fp8"],
        ["--dtype=float16"],
        ["--chat-template", "template.jinja"],
        ["--reasoning-parser", "qwen3"],
        ["--some-flag-of-next-year"],
    ],
    ids=str,
)
def test_flags_that_can_change_an_answer_are_part_of_the_key(flags):
    assert vllm_key(*flags) != vllm_key()


def test_speed_only_flags_sizes_and_the_command_leave_the_key_alone():
    speed = ["--gpu-memory-utilization", "0.95", "--max-num-seqs=64", "--enforce_eager"]
    assert vllm_key(*speed) == vllm_key()
    split = {"command": ["/opt/vllm/bin/vllm"], "tensor_parallel": 4, "data_parallel": 2, "seed": 3}
    assert REQUEST.key("judge", Model(engine="vllm", model="judge-7b", vllm=split)) == vllm_key()


def test_how_flags_are_written_and_in_which_order_leaves_the_key_alone():
    one = vllm_key("--dtype", "float16", "--quantization", "fp8")
    assert one == vllm_key("--quantization=fp8", "--enforce-eager", "--dtype=float16")
    assert one != vllm_key("--dtype", "fp8", "--quantization", "float16")


def test_another_text_in_a_chat_template_is_another_key(tmp_path):
    template = tmp_path / "template.jinja"
    template.write_text("{{ messages[0].content }}")
    before = vllm_key("--chat-template", str(template))
    assert before == vllm_key("--chat-template", str(template))
    template.write_text("{{ messages[0].content }}<think></think>")
    assert before != vllm_key("--chat-template", str(template))


def test_the_order_of_a_schemas_properties_is_part_of_the_key():
    one = dataclasses.replace(REQUEST, schema={"properties": {"a": {}, "b": {}}})
    two = dataclasses.replace(REQUEST, schema={"properties": {"b": {}, "a": {}}})
    assert one.key("judge", MODEL) != two.key("judge", MODEL)


def test_items_share_an_answer_at_temperature_0_only():
    greedy = [dataclasses.replace(REQUEST, item=item) for item in ("a", "b")]
    drawn = [dataclasses.replace(one, decoding=Decoding(temperature=0.6)) for one in greedy]
    left_to_the_server = [
        dataclasses.replace(one, decoding=Decoding(extra={"temperature": None})) for one in greedy
    ]
    assert greedy[0].key("judge", MODEL) == greedy[1].key("judge", MODEL)
    assert drawn[0].key("judge", MODEL) != drawn[1].key("judge", MODEL)
    assert left_to_the_server[0].key("judge", MODEL) != left_to_the_server[1].key("judge", MODEL)


def test_a_simulated_answers_key_holds_the_item_its_scores_and_the_error_model():
    model = Model(engine="simulated")
    other_model = Model(engine="simulated", simulation={"agreement": 0.5})
    one = Request("a", (), Decoding(), simulation={"kind": "text", "text": "x"})
    two = dataclasses.replace(one, item="b")
    three = dataclasses.replace(one, simulation={"kind": "text", "text": "y"})
    keys = {request.key("s", model) for request in (one, two, three)} | {one.key("s", other_model)}
    assert len(keys) == 4


def test_system_text_goes_first_in_the_user_message_of_a_model_without_a_system_role():
    assert sent_messages(PROMPT, system_role=True) == list(PROMPT)
    assert sent_messages(PROMPT, system_role=False) == [
        {"role": "user", "content": "Be strict.\n\nJudge this."}
    ]


def test_the_body_says_what_the_decoding_says():
    decoding = Decoding(temperature=0.6, top_p=0.95, max_tokens=50, thinking=False, extra={"min_p": 0.1})
    request = Request("a", PROMPT, decoding, schema={"type": "object"}, top_logprobs=5)
    assert body_of(request, MODEL, "judge-7b") == {
        "model": "judge-7b",
        "messages": list(PROMPT),
        "temperature": 0.6,
        "top_p": 0.95,
        "max_tokens": 50,
        "chat_template_kwargs": {"enable_thinking": False},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
        },
        "logprobs": True,
        "top_logprobs": 5,
        "min_p": 0.1,
    }


def test_extra_keys_have_the_last_word():
    decoding = Decoding(extra={"max_completion_tokens": 99, "temperature": None})
    body = body_of(Request("a", PROMPT, decoding), MODEL, "judge-7b")
    assert body["max_completion_tokens"] == 99
    assert "max_tokens" not in body
    assert "temperature" not in body


def test_replicates_and_repeats_of_a_seeded_draw_have_seeds_of_their_own():
    drawn = Request("a", PROMPT, Decoding(temperature=0.6, seed=1))
    again = dataclasses.replace(drawn, replicate=1)
    seeds = [body_of(one, MODEL, "j")["seed"] for one in (drawn, again, drawn.next_attempt(), drawn)]
    assert len(set(seeds)) == 3
    assert seeds[0] == seeds[3]
    assert body_of(Request("a", PROMPT, Decoding(seed=1), replicate=1), MODEL, "j")["seed"] == 1


def bounded(tokens=4096, thinking=True, **model):
    decoding = Decoding(max_tokens=4352, thinking=thinking, thinking_tokens=tokens)
    return body_of(dataclasses.replace(REQUEST, decoding=decoding), Model(**model), "judge")


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ({"engine": "vllm", "vllm": {"flags": ["--reasoning-parser", "qwen3"]}}, "thinking_token_budget"),
        ({"engine": "vllm", "vllm": {"flags": ["--reasoning_config={}"]}}, "thinking_token_budget"),
        ({"engine": "embedded", "embedded": {"backend": "llamacpp"}}, "thinking_budget_tokens"),
        (
            {"engine": "endpoint", "base_url": "http://one.example/v1", "thinking_field": "thinking_budget"},
            "thinking_budget",
        ),
    ],
    ids=str,
)
def test_a_bound_on_thinking_has_the_name_that_its_server_gives_it(model, field):
    body = bounded(**model)
    assert (body[field], body["max_tokens"]) == (4096, 4352)
    for untouched in (bounded(None, **model), bounded(thinking=False, **model)):
        assert field not in untouched


def test_a_bound_on_thinking_may_stand_inside_another_key():
    model = {"engine": "endpoint", "base_url": "http://one.example/v1"}
    assert bounded(**model, thinking_field="reasoning.max_tokens")["reasoning"] == {"max_tokens": 4096}


@pytest.mark.parametrize(
    "model",
    [
        {"engine": "vllm"},
        {"engine": "embedded"},
        {"engine": "endpoint", "base_url": "http://one.example/v1"},
    ],
    ids=str,
)
def test_a_bound_that_no_server_keeps_is_an_error_with_a_remedy(model):
    with pytest.raises(UserError, match="leave `thinking_tokens` out"):
        bounded(**model)


def test_a_bound_on_thinking_is_part_of_the_key_only_where_it_is_set():
    for section in (Decoding(), DecodingChanges()):
        assert "thinking_tokens" not in section.model_dump()
    named = changed(thinking_field="thinking_budget")
    assert REQUEST.key("judge", named) == REQUEST.key("judge", MODEL)
    bound = dataclasses.replace(REQUEST, decoding=Decoding(thinking_tokens=64))
    other = dataclasses.replace(REQUEST, decoding=Decoding(thinking_tokens=65))
    keys = {request.key("judge", model) for request in (REQUEST, bound, other) for model in (MODEL, named)}
    assert len(keys) == 1 + 2 * 2


def test_keys_from_before_there_was_a_bound_on_thinking_hold():
    # computed at the commit before the setting, for this file's request
    assert REQUEST.key("judge", MODEL) == "8e7751271ddb921c3cff4cdc6c9890337cfa6f189ac75d1dddcffbaf1de0fcf1"
