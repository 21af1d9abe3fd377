"""Who starts the server: each engine gives an endpoint, and the client is the same for all."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from plumbline.config.models import Embedded, Model
from plumbline.models.child import Child, free_port, module_command
from plumbline.models.clock import Clock
from plumbline.records import UserError

KEY_VARIABLE = "PLUMBLINE_SERVER_KEY"
"""Our own servers read their key here."""

VLLM_KEYS = ("VLLM_API_KEY", "APPTAINERENV_VLLM_API_KEY")
"""vLLM reads its key from the first; the second carries it into a container closed to our variables."""

NO_KEY = "no-key-needed"
"""What is sent to an endpoint that asks for no key."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served; `check` says what is wrong with the server, None while all is well."""

    base_url: str
    api_key: str
    model_name: str
    check: Callable[[], str | None] = lambda: None
    is_own: bool = False
    mark: str | None = None
    """A name that our server lists beside the model's, and no other server can know."""

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r}, {self.model_name!r})"


@contextmanager
def serve(slug: str, model: Model, log: Path | None = None, clock: Clock | None = None) -> Iterator[Endpoint]:
    """Have a model served while the block runs.

    Parameters
    ----------
    slug, model
        The model by its name in the configuration, and its settings.
    log
        A file for the output of a server that we start; a temporary one if None.
    clock
        Waiting for the server goes by it.

    Raises
    ------
    UserError
        A key variable or a file is missing, the server ends or is not ready in time, or the engine
        serves no chat.
    """
    if model.engine == "endpoint":
        yield _given(slug, model)
        return
    if model.engine in ("decisions", "simulated", "released"):
        raise UserError(
            f"{slug}: engine `{model.engine}` has no chat server; plan judging does not use it."
            " Choose `embedded`, `vllm` or `endpoint`."
        )
    with tempfile.TemporaryDirectory(prefix="plumbline-") as folder:
        output = Path(folder) / "server.log" if log is None else log
        port, key = free_port(), secrets.token_hex(16)
        name, mark = model.model or slug, None
        if model.engine == "vllm":
            mark = f"plumbline-{secrets.token_hex(8)}"
            command, variables = _vllm(slug, model, (name, mark), port), dict.fromkeys(VLLM_KEYS, key)
        else:
            command, variables = _embedded(slug, model, name, port), {KEY_VARIABLE: key}
        with Child(slug, command, variables, output, is_kept=log is not None) as child:
            child.wait_until_ready(f"http://127.0.0.1:{port}/health", model.start_limit_s, clock or Clock())
            yield Endpoint(f"http://127.0.0.1:{port}/v1", key, name, child.check, is_own=True, mark=mark)


def weights_file(slug: str, model: Model) -> Path:
    """Find the embedded model's GGUF file.

    Raises
    ------
    UserError
        If the file is missing.
    """
    path = Path(model.embedded.file)
    if not path.is_file():
        raise UserError(
            f"models.{slug}.embedded.file: {path} is not a file. Write a path to a GGUF file, or "
            f"{Embedded().file} for the small model that the workflow fetches."
        )
    return path


def _given(slug: str, model: Model) -> Endpoint:
    key = NO_KEY
    if model.api_key_env is not None:
        key = os.environ.get(model.api_key_env, "").strip()
        if not key:
            raise UserError(
                f"models.{slug}.api_key_env: the environment variable {model.api_key_env} is not set."
                f" Set it before the run: export {model.api_key_env}=..."
            )
    assert model.base_url is not None
    return Endpoint(model.base_url.rstrip("/"), key, model.model or slug)


def _embedded(slug: str, model: Model, name: str, port: int) -> list[str]:
    return module_command(
        f"plumbline.models.{model.embedded.backend}_server",
        *("--file", str(weights_file(slug, model).resolve())),
        *("--name", name),
        *("--port", str(port)),
        *("--context", str(model.context_length)),
        *("--threads", str(model.embedded.threads)),
        *("--cache-gb", str(model.embedded.cache_gb)),
        *("--parallel", str(model.concurrency)),
    )


def _vllm(slug: str, model: Model, names: tuple[str, str], port: int) -> list[str]:
    settings = model.vllm
    if shutil.which(settings.command[0]) is None:
        raise UserError(
            f"models.{slug}.vllm.command: {settings.command[0]}: No such program on {platform.node()}."
            " vLLM has an environment of its own; write how it is started from there, one list entry a word,"
            " for instance [/opt/vllm/bin/vllm] or [apptainer, exec, --nv, vllm.sif, vllm]."
        )
    return [
        *settings.command,
        *("serve", names[0]),
        *("--host", "127.0.0.1"),
        *("--port", str(port)),
        *("--served-model-name", *names),
        *(("--revision", model.revision) if model.revision else ()),
        *("--max-model-len", str(model.context_length)),
        *("--tensor-parallel-size", str(settings.tensor_parallel)),
        *("--data-parallel-size", str(settings.data_parallel)),
        *("--seed", str(settings.seed)),
        "--enable-prompt-tokens-details",  # the account of a run says how many prompt tokens were cached
        *settings.flags,
    ]
