import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from standin import StandIn, questions

from plumbline.config.models import Model
from plumbline.models import ask, child, serve
from plumbline.models.engines import weights_file
from plumbline.records import UserError

STANDIN_VLLM = Path(__file__).parents[1] / "standin_vllm.py"
HOLDER = """
import sys, time
from plumbline.config.models import Model
from plumbline.models import serve
model = Model(engine="vllm", vllm={"command": [sys.executable, *sys.argv[1:]]})
with serve("judge", model):
    print("ready", flush=True)
    time.sleep(600)
"""


def vllm(notes):
    return Model(engine="vllm", vllm={"command": [sys.executable, str(STANDIN_VLLM), "--notes", str(notes)]})


def is_gone(pid):
    """Whether a process has ended (a zombie that no one has waited for has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_vllm_is_started_with_the_models_settings(tmp_path):
    notes = tmp_path / "notes.json"
    settings = {"tensor_parallel": 2, "data_parallel": 3, "seed": 5, "flags": ["--enforce-eager"]}
    command = [sys.executable, str(STANDIN_VLLM), "--notes", str(notes)]
    model = Model(
        engine="vllm",
        model="org/judge-7b",
        revision="abc123",
        context_length=4096,
        vllm={"command": command, **settings},
    )
    with serve("judge", model) as endpoint:
        arguments = json.loads(notes.read_text())["argv"]
    assert endpoint.model_name == "org/judge-7b"
    text = " ".join(arguments)
    for part in (
        "serve org/judge-7b",
        "--host 127.0.0.1",
        "--served-model-name org/judge-7b",
        "--revision abc123",
        "--max-model-len 4096",
        "--tensor-parallel-size 2",
        "--data-parallel-size 3",
        "--seed 5",
        "--enforce-eager",
    ):
        assert part in text
    assert endpoint.api_key not in text
    assert endpoint.api_key not in repr(endpoint)


@pytest.mark.parametrize("failure", [None, RuntimeError("in the job")], ids=str)
def test_the_server_and_its_workers_are_gone_when_the_block_ends(tmp_path, failure):
    notes = tmp_path / "notes.json"
    try:
        with serve("judge", vllm(notes)):
            pids = json.loads(notes.read_text())
            if failure:
                raise failure
    except RuntimeError:
        pass
    wait_until(lambda: is_gone(pids["pid"]) and is_gone(pids["worker"]))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_server_outlives_a_job_that_is_killed(tmp_path, number):
    notes = tmp_path / "notes.json"
    command = [sys.executable, "-c", HOLDER, str(STANDIN_VLLM), "--notes", str(notes)]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert holder.stdout.readline() == "ready\n"
    pids = json.loads(notes.read_text())
    assert not is_gone(pids["pid"])
    holder.send_signal(number)
    holder.wait(20)
    holder.stdout.close()
    wait_until(lambda: is_gone(pids["pid"]) and is_gone(pids["worker"]))


def test_a_command_that_does_not_exist_is_named(tmp_path):
    model = Model(engine="vllm", vllm={"command": [str(tmp_path / "no-such-vllm")]})
    with pytest.raises(UserError, match=r"models\.judge\.vllm\.command: .*no-such-vllm: No such program"):
        serve("judge", model).__enter__()


def test_a_wrapper_gets_the_words_after_serve_and_the_key_from_its_environment(tmp_path):
    notes = tmp_path / "notes.json"
    module = ["bash", "-c", f'read_by_a_module=1; exec {sys.executable} "$@"', "vllm", str(STANDIN_VLLM)]
    variables = ["env", "-u", "PYTHONPATH", "HF_HOME=/scratch/hub", *module]
    model = Model(engine="vllm", model="org/judge-7b", vllm={"command": [*variables, "--notes", str(notes)]})
    with serve("judge", model) as endpoint:
        seen = json.loads(notes.read_text())
    assert seen["argv"][2:4] == ["serve", "org/judge-7b"]
    assert seen["variables"]["HF_HOME"] == "/scratch/hub"
    assert "PYTHONPATH" not in seen["variables"]
    # the second is how a container that is closed to the environment gets the first
    for name in ("VLLM_API_KEY", "APPTAINERENV_VLLM_API_KEY"):
        assert seen["variables"][name] == endpoint.api_key


def test_a_server_that_dies_is_shown_with_the_first_error_of_its_log_however_much_comes_after(tmp_path):
    warned = "WARNING: this may end in an OSError: [Errno 24]"
    said = [warned, "(Engine) ERROR ValueError: no room for one prompt", *(f"line {n}" for n in range(30))]
    said.append("RuntimeError: the engine did not start; see above")
    words = [word for line in said for word in ("--says", line)]
    command = [sys.executable, str(STANDIN_VLLM), "--exits-after", "0", *words]
    with pytest.raises(UserError, match=r"the server ended \(exit code 1\)") as error:
        serve("judge", Model(engine="vllm", vllm={"command": command}), tmp_path / "log.txt").__enter__()
    last, first = str(error.value).split("The first error in its log:")
    assert "RuntimeError: the engine did not start" in last
    assert "line 3" not in last.split()
    assert "(Engine) ERROR ValueError: no room for one prompt" in first
    assert warned not in str(error.value)
    assert str(tmp_path / "log.txt") in first


def test_another_server_on_the_port_is_never_asked(tmp_path, monkeypatch):
    # the other one lists the very same model and asks for no key
    with StandIn(listed=("org/judge-7b",)) as other:
        monkeypatch.setattr("plumbline.models.engines.free_port", lambda: other.server.server_address[1])
        sleeper = ["bash", "-c", "sleep 600", "vllm"]
        model = Model(engine="vllm", model="org/judge-7b", vllm={"command": sleeper})
        with pytest.raises(UserError, match=r"not the one that this job started"):
            ask(questions(1), "judge", model, journal=tmp_path, lane="l", total=1)
    assert other.bodies == []


@pytest.mark.parametrize(
    ("flags", "setting"),
    [
        (["--max-model-len", "4096"], "context_length"),
        (["--enforce-eager", "-tp", "2"], "vllm.tensor_parallel"),
        (["--api_key=secret"], "no file holds"),
        (["--seed=7"], "vllm.seed"),
    ],
)
def test_a_flag_that_is_a_setting_is_turned_down_with_the_setting_s_name(flags, setting):
    with pytest.raises(ValueError, match=setting):
        Model(engine="vllm", vllm={"flags": flags})


def test_a_missing_key_variable_is_named_before_anything_is_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("ABSENT_KEY", raising=False)
    model = Model(engine="endpoint", base_url="http://127.0.0.1:9/v1", api_key_env="ABSENT_KEY")
    with pytest.raises(UserError, match=r"models\.judge\.api_key_env: .*ABSENT_KEY is not set"):
        ask(questions(1), "judge", model, journal=tmp_path, lane="l", total=1)


def test_a_model_of_released_files_has_no_server():
    with pytest.raises(UserError, match="has no server"), serve("judge", Model(engine="released")):
        pass


def test_missing_weights_are_named_with_what_would_be_right():
    with pytest.raises(
        UserError, match=r"no/such\.gguf is not a file.*results/sources/smollm2\.gguf"
    ) as error:
        weights_file("small", Model(engine="embedded", embedded={"file": "no/such.gguf"}))
    assert str(error.value).startswith("models.small.embedded.file: ")


def test_the_default_weights_are_a_gguf_file(embedded_weights):
    file = weights_file("small", Model(engine="embedded"))
    with file.open("rb") as stream:
        assert stream.read(4) == b"GGUF"
    assert file.stat().st_size > 50_000_000


def test_a_server_s_port_is_one_that_no_outgoing_connection_gets_and_nothing_holds(monkeypatch):
    assert max(child.PORTS) < 32_768  # where Linux begins with the ports of outgoing connections
    held = child.free_port()
    assert held in child.PORTS
    with socket.socket() as other:
        other.bind(("127.0.0.1", held))
        monkeypatch.setattr(child, "PORTS", range(held, held + 1))
        assert child.free_port() != held  # the system's own choice, rather than none
    assert child.free_port() == held
