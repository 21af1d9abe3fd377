"""A real vLLM on the CPU, through the code that a job uses."""

import asyncio
import dataclasses
import json
import math
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import jsonschema
import pytest
from standin import questions

from plumbline.config.models import Decoding, Model
from plumbline.models import Clock, Failure, Reply, ask, find_outcomes, serve
from plumbline.models.client import Client
from plumbline.models.engines import Endpoint
from plumbline.models.limits import NoLimits
from plumbline.records import UserError

SCHEMA = {
    "type": "object",
    "properties": {"mark": {"enum": [0, 0.5, 1]}, "why": {"type": "string", "maxLength": 24}},
    "required": ["mark", "why"],
    "additionalProperties": False,
}
TEMPLATE = """{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}I do not think about it at all.
{% endif %}"""
THOUGHT = "Here is my thought process: (one|two) Here is my response: (Yes|No)"
SKY = "Is the sky blue? Answer Yes or No."
# what transformers says of the first token after the prompt, in the same precision
ORACLE = """
import json, sys, torch, transformers
folder, text = sys.argv[1:]
words = transformers.AutoTokenizer.from_pretrained(folder)
said = [{"role": "user", "content": text}]
chat = words.apply_chat_template(said, add_generation_prompt=True, tokenize=False)
model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
with torch.no_grad():
    ids = torch.tensor([words(chat, add_special_tokens=False)["input_ids"]])
    found = torch.log_softmax(model(ids).logits[0, -1].double(), -1)
ranked = found.argsort(descending=True).tolist()
chosen = (*ranked[:20], ranked[500], ranked[20000])
print(json.dumps({token: [words.decode([token]), found[token].item()] for token in chosen}))
"""


@dataclasses.dataclass
class Served:
    """A running server: the endpoint of its job, a model that other tests can ask, and its log."""

    endpoint: Endpoint
    model: Model
    log: Path


def changed(settings, *flags, **vllm):
    """Settings with more flags of the server, or other settings of it."""
    section = settings["vllm"] | vllm
    return settings | {"vllm": section | {"flags": [*section["flags"], *flags]}}


@pytest.fixture(scope="module")
def both(real_vllm, tmp_path_factory):
    """Two servers at once on one machine: a plain one, and one of a model that thinks."""
    folder = tmp_path_factory.mktemp("vllm")
    (folder / "template.jinja").write_text(TEMPLATE)
    reasons = ("--reasoning-parser", "granite", "--structured-outputs-config.enable_in_reasoning", "true")
    template = ("--chat-template", str(folder / "template.jinja"))
    wanted = {"plain": real_vllm.settings, "thinks": changed(real_vllm.settings, *reasons, *template)}
    with ExitStack() as stack, ThreadPoolExecutor() as starters, pytest.MonkeyPatch.context() as patch:
        starting = {
            name: starters.submit(
                stack.enter_context, serve(name, Model(**settings), folder / f"{name}.log", Clock())
            )
            for name, settings in wanted.items()
        }
        served = {}
        for name, started in starting.items():
            endpoint = started.result()
            patch.setenv(f"{name.upper()}_KEY", endpoint.api_key)
            settings = {"model": endpoint.model_name, "api_key_env": f"{name.upper()}_KEY", "concurrency": 4}
            model = Model(engine="endpoint", base_url=endpoint.base_url, **settings)
            served[name] = Served(endpoint, model, folder / f"{name}.log")
        yield served


@pytest.fixture(scope="module")
def plain(both):
    return both["plain"].model


@pytest.fixture(scope="module")
def thinks(both):
    return both["thinks"].model


def prompt(text, max_tokens=8, decoding=None, **settings):
    (request,) = questions(1, text=text, **settings)
    return dataclasses.replace(request, decoding=Decoding(max_tokens=max_tokens, **(decoding or {})))


def outcomes(items, model, journal):
    ask(items, "small", model, journal=journal, lane="l", total=len(items))
    return [outcome for _, outcome in find_outcomes(items, "small", model, journal=journal)]


def test_answers_fit_the_schema(plain, tmp_path):
    texts = ("Is plan 1 a good one? Answer at length.", "What is a dog?")
    items = [prompt(text, 60, schema=SCHEMA) for text in texts]
    for reply in outcomes(items, plain, tmp_path):
        jsonschema.validate(json.loads(reply.text), SCHEMA)
        assert reply.finish_reason == "stop"


def test_a_constraint_that_does_not_reach_the_server_is_noticed_before_the_first_question(plain, tmp_path):
    # the way of older servers, which this one ignores without an error
    old = {"extra": {"response_format": None, "guided_json": SCHEMA}}
    with pytest.raises(UserError, match="does not keep to structured output"):
        outcomes([prompt("Is plan 1 a good one?", 30, old, schema=SCHEMA)], plain, tmp_path)
    assert list(tmp_path.glob("*.jsonl")) == []


def test_first_token_probabilities_are_those_of_transformers(plain, real_vllm, tmp_path):
    command = [str(real_vllm.python), "-c", ORACLE, str(real_vllm.weights), SKY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = {int(token): value for token, value in json.loads(done.stdout.splitlines()[-1]).items()}
    top, beyond = dict(list(expected.values())[:20]), dict(list(expected.values())[20:])
    named = {"extra": {"logprob_token_ids": list(expected)}}
    best, exact = outcomes(
        [prompt(SKY, 1, top_logprobs=20), prompt(SKY, 1, named, top_logprobs=1)], plain, tmp_path
    )
    (token,) = best.logprobs
    # two at the border may change places
    assert [name for name, _ in token["top"]][:10] == list(top)[:10]
    for name, value in token["top"]:
        assert value == pytest.approx(top.get(name, value), abs=2e-3)
    (token,) = exact.logprobs
    found = dict(token["top"])
    for name, value in {**top, **beyond}.items():
        assert found[name] == pytest.approx(value, abs=2e-3)
    assert max(beyond.values()) < min(top.values())
    assert sum(math.exp(value) for value in top.values()) < 1


def test_an_overlong_prompt_is_an_overflow(plain, tmp_path):
    (overflow,) = outcomes([prompt("one two three " * 900)], plain, tmp_path)
    assert isinstance(overflow, Failure)
    assert overflow.status == "overflow"
    assert "2048" in overflow.detail


def test_draws_differ_between_replicates_and_repeat_with_their_seed(plain, tmp_path):
    sampled = {"temperature": 1.0, "seed": 5}
    one = prompt("Tell me a story.", 10, sampled)
    items = [dataclasses.replace(one, replicate=number) for number in range(3)]
    alone = plain.model_copy(update={"concurrency": 1})
    first, second = (outcomes(items, alone, tmp_path / name) for name in ("one", "two"))
    assert len({reply.text for reply in first}) == 3
    assert [reply.text for reply in first] == [reply.text for reply in second]


def test_tokens_from_the_prefix_cache_are_reported(plain, tmp_path):
    shared = "The rules of this judgement are many and long. " * 40
    alone = plain.model_copy(update={"concurrency": 1})
    items = [prompt(shared + end, 1) for end in ("First plan.", "Second plan.")]
    first, second = outcomes(items, alone, tmp_path)
    assert second.usage.cached_tokens > 0.5 * second.usage.prompt_tokens > first.usage.cached_tokens


def test_the_thinking_flag_reaches_the_chat_template(thinks, tmp_path):
    said = {value: prompt(SKY, 1, {"thinking": value}) for value in (None, True, False)}
    left, on, off = (reply.usage.prompt_tokens for reply in outcomes(list(said.values()), thinks, tmp_path))
    assert left == on
    assert off > on + 5


def test_reasoning_is_read_apart_from_the_answer(thinks, tmp_path):
    constrained = {"extra": {"structured_outputs": {"regex": THOUGHT}}}
    (reply,) = outcomes([prompt(SKY, 30, constrained)], thinks, tmp_path)
    assert isinstance(reply, Reply)
    assert reply.reasoning.strip() in ("one", "two")
    assert reply.text.strip() in ("Yes", "No")


def test_each_of_two_servers_on_a_machine_is_known_by_its_mark(both):
    ports = {served.endpoint.base_url for served in both.values()}
    assert len(ports) == 2

    async def check(endpoint, model):
        async with Client("small", model, endpoint, Clock(), NoLimits()) as client:
            await client.check_model()

    for own, other in (("plain", "thinks"), ("thinks", "plain")):
        served = both[own]
        asyncio.run(check(served.endpoint, served.model))
        taken = dataclasses.replace(served.endpoint, mark=both[other].endpoint.mark)
        with pytest.raises(UserError, match="not the one that this job started"):
            asyncio.run(check(taken, served.model))


def test_the_servers_key_is_wanted_and_in_no_log(both, tmp_path, monkeypatch):
    keys = [served.endpoint.api_key for served in both.values()]
    logs = [served.log.read_text() for served in both.values()]
    assert all("vllm" in log and not any(key in log for key in keys) for log in logs)
    monkeypatch.setenv("PLAIN_KEY", "some-other-key")
    with pytest.raises(UserError, match="HTTP 401"):
        outcomes([prompt(SKY)], both["plain"].model, tmp_path)


def processes_with(text):
    """Processes that have a text in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_a_server_that_dies_at_its_start_says_why_and_leaves_nothing(real_vllm, tmp_path):
    mark = f"PLUMBLINE_TEST_MARK={tmp_path.name}-{os.getpid()}"
    first, *others = real_vllm.settings["vllm"]["command"]
    # no room for one prompt: the engine ends in a process of its own, and then the server
    settings = changed(real_vllm.settings, "--num-gpu-blocks-override", "2", command=[first, mark, *others])
    with pytest.raises(UserError, match=r"small: the server ended \(exit code 1\)") as error:
        serve("small", Model(**settings), tmp_path / "server.log").__enter__()
    _, cause = str(error.value).split("The first error in its log:")
    assert "KV cache" in cause
    assert processes_with(mark) == []
