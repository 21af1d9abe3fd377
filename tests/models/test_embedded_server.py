"""The embedded engine with its real model."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
import yaml
from standin import SCHEMA as SHORT_SCHEMA
from standin import questions

from plumbline.config.models import Decoding, Model
from plumbline.models import Failure, Reply, ask, find_outcomes, serve
from plumbline.records import UserError

pytestmark = pytest.mark.usefixtures("embedded_weights")

SHIPPED = yaml.safe_load((Path(__file__).parents[2] / "config" / "models.yaml").read_text())["models"]
SCHEMA = {
    "type": "object",
    "properties": {
        "mark": {"enum": [0, 0.5, 1]},
        "why": {"type": "string", "minLength": 24, "maxLength": 24},
        "sure": {"type": "boolean"},
    },
    "required": ["mark", "why", "sure"],
    "additionalProperties": False,
}
HOLDER = """
import time
from plumbline.config.models import Model
from plumbline.models import serve
with serve("small", Model(engine="embedded", context_length=512)):
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def openvino():
    """A running OpenVINO server, as a model that other tests can ask."""
    small = Model(engine="embedded", context_length=512)
    with serve("small", small) as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SMALL_KEY", endpoint.api_key)
        settings = {"model": "small", "api_key_env": "SMALL_KEY", "concurrency": 2}
        yield Model(engine="endpoint", base_url=endpoint.base_url, **settings)


def prompt(text, max_tokens=60, **settings):
    (request,) = questions(1, text=text, **settings)
    return dataclasses.replace(request, item=text[:20], decoding=Decoding(max_tokens=max_tokens))


def outcomes(items, model, journal, **settings):
    ask(items, "small", model, journal=journal, lane="l", total=len(items), **settings)
    return [outcome for _, outcome in find_outcomes(items, "small", model, journal=journal)]


def test_answers_fit_the_schema_and_are_compact(openvino, tmp_path):
    items = [prompt(f"Is plan {n} a good one? Answer at length.", schema=SCHEMA) for n in range(2)]
    for reply in outcomes(items, openvino, tmp_path):
        verdict = json.loads(reply.text)
        jsonschema.validate(verdict, SCHEMA)
        assert reply.text == json.dumps(verdict, ensure_ascii=False, separators=(",", ":"))
        assert reply.finish_reason == "stop"
        assert reply.usage.prompt_tokens > 10


def test_a_schema_that_the_grammar_does_not_cover_binds_too(openvino, tmp_path):
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1000}}, "required": ["n"]}
    (reply,) = outcomes([prompt("Describe a dog.", schema=schema)], openvino, tmp_path)
    jsonschema.validate(json.loads(reply.text), schema)


def test_a_long_answer_is_cut_and_an_overlong_prompt_is_an_overflow(openvino, tmp_path):
    items = [prompt("Count from 1 to 100 in words.", 8), prompt("one two three " * 400)]
    cut, overflow = outcomes(items, openvino, tmp_path)
    assert isinstance(cut, Reply)
    assert cut.finish_reason == "length"
    assert cut.usage.completion_tokens == 8
    assert isinstance(overflow, Failure)
    assert overflow.status == "overflow"


def test_an_answer_for_which_the_context_has_no_room_is_an_overflow(openvino, tmp_path):
    (overflow,) = outcomes([prompt("Count from 1 to 100.", 505)], openvino, tmp_path)
    assert overflow.status == "overflow"
    assert "asks for 505 more" in overflow.detail


def test_draws_differ_between_replicates_and_repeat_with_their_seed(openvino, tmp_path):
    decoding = Decoding(temperature=1.0, max_tokens=12, seed=5)
    (one,) = questions(1, text="Tell me a story.")
    items = [dataclasses.replace(one, decoding=decoding, replicate=n) for n in range(3)]
    openvino = openvino.model_copy(update={"concurrency": 1})
    first, second = (outcomes(items, openvino, tmp_path / name) for name in ("one", "two"))
    assert len({reply.text for reply in first}) == 3
    assert [reply.text for reply in first] == [reply.text for reply in second]


def test_log_probabilities_are_refused_with_the_backend_that_has_them(openvino, tmp_path):
    with pytest.raises(UserError, match=r"backend: llamacpp"):
        outcomes([prompt("Yes?", top_logprobs=5)], openvino, tmp_path)


def test_the_servers_key_keeps_others_out(openvino, tmp_path, monkeypatch):
    monkeypatch.setenv("SMALL_KEY", "some-other-key")
    with pytest.raises(UserError, match="HTTP 401"):
        outcomes([prompt("Yes?")], openvino, tmp_path)


def test_llamacpp_answers_with_log_probabilities_within_the_schema(tmp_path):
    settings = {"backend": "llamacpp"}
    model = Model(engine="embedded", context_length=512, concurrency=1, embedded=settings, start_limit_s=120)
    items = [
        prompt("Say Yes or No.", 1, top_logprobs=5),
        prompt("A plan?", schema=SHORT_SCHEMA),
        prompt("one two three " * 400),
    ]
    log = tmp_path / "server.log"
    first, constrained, overflow = outcomes(items, model, tmp_path / "journal", log=log)
    assert len(first.logprobs) == 1
    assert len(first.logprobs[0]["top"]) == 5
    jsonschema.validate(json.loads(constrained.text), SHORT_SCHEMA)
    assert overflow.status == "overflow"
    assert "one two three" not in log.read_text()


def test_the_shipped_models_are_valid():
    models = {slug: Model(**settings) for slug, settings in SHIPPED.items()}
    assert all(model.revision for model in models.values() if model.engine == "embedded")


def servers_of(holder):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if "plumbline.models.openvino_server" in words and parent == holder:
            found.append(int(folder.name))
    return found


def test_no_embedded_server_outlives_a_job_killed_by_sigkill():
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "ready\n"
    (server,) = servers_of(holder.pid)
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{server}/cmdline").exists() and Path(f"/proc/{server}/cmdline").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
