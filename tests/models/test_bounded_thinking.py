"""A bound on thinking alone, at a real llama.cpp whose chat template opens with thinking (D14, D33, D35)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.config.models import Decoding, Model
from plumbline.models import Clock, Reply, Request
from plumbline.models.client import Client
from plumbline.models.engines import Endpoint
from plumbline.models.first_token import spellings
from plumbline.models.limits import NoLimits

pytestmark = pytest.mark.usefixtures("embedded_weights")

TEMPLATE = """\
{%- for message in messages %}
{%- if message.role == 'assistant' and message.reasoning_content is string %}
{{- '<|im_start|>assistant\\n<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}
{{- message.content + '<|im_end|>\\n' }}
{%- else %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n<think>\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""
"""As Qwen's: the weights themselves were never taught to think, but what they write there counts as such."""

SERVER = """
import sys, threading, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.model_alias, params.hostnames = sys.argv[1], {"small"}, ["127.0.0.1"]
params.port, params.n_ctx, params.n_parallel, params.verbosity = 0, 1024, 1, 1
params.use_jinja, params.chat_template = True, sys.argv[2]
from plumbline.models.child import free_port
params.port = free_port()
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
threading.Event().wait()
"""
MODEL = Model.model_validate({"engine": "embedded", "embedded": {"backend": "llamacpp"}})
LENGTH = 40


@pytest.fixture(scope="module")
def url(embedded_weights: Path) -> Iterator[str]:
    command = [sys.executable, "-c", SERVER, str(embedded_weights), TEMPLATE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        told = next(line for line in server.stdout if line.startswith("listening"))
        yield told.split()[1]
        server.kill()


def asked(url: str, thinking_tokens: int | None, **more: object) -> Reply:
    """Ask for as many tokens as may come, so that thinking without a bound fills them all."""
    extra = {"ignore_eos": True}
    decoding = Decoding(max_tokens=LENGTH, thinking=True, thinking_tokens=thinking_tokens, extra=extra)
    question = "Which city is the capital of France? Think about it at length."
    request = Request("item", ({"role": "user", "content": question},), decoding, **more)  # type: ignore[arg-type]

    async def outcome() -> object:
        endpoint = Endpoint(f"{url}/v1", "none", "small", server="llamacpp")
        async with Client("small", MODEL, endpoint, Clock(), NoLimits()) as client:
            return await client.outcome(request)

    found = asyncio.run(outcome())
    assert isinstance(found, Reply)
    return found


def tokens(url: str, text: str) -> int:
    body = json.dumps({"content": text}).encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/tokenize", body, headers)) as reply:  # noqa: S310
        return len(json.load(reply)["tokens"])


def test_thinking_without_a_bound_of_its_own_leaves_nothing_for_the_answer(url: str) -> None:
    reply = asked(url, None)
    assert reply.finish_reason == "length" and not (reply.text or "").strip()
    assert tokens(url, reply.reasoning or "") > LENGTH // 2


def test_bounded_thinking_is_ended_and_the_rest_of_the_tokens_is_the_answer_s(url: str) -> None:
    reply = asked(url, 8)
    assert reply.reasoning and tokens(url, reply.reasoning) <= 8
    # the tag that ends the thinking is four tokens, two of them line breaks
    assert tokens(url, reply.text or "") >= LENGTH - 8 - 6


def test_a_judge_s_probability_is_that_of_the_first_token_behind_its_bounded_thinking(url: str) -> None:
    reply = asked(url, 8, top_logprobs=5, answers=tuple(spellings("Yes", False)))
    assert reply.logprobs is not None and len(reply.logprobs) == 1
    assert (reply.text or "").strip().startswith(str(reply.logprobs[0]["token"]).strip())
    assert not asked(url, None, top_logprobs=5, answers=tuple(spellings("Yes", False))).logprobs
