"""Flags of `vllm serve`: which of them can change an answer, and which belong to settings of their own."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

SPEED_ONLY = frozenset(
    (
        # memory and scheduling
        *("--gpu-memory-utilization", "--kv-cache-memory-bytes", "--num-gpu-blocks-override", "--block-size"),
        *("--swap-space", "--cpu-offload-gb", "--kv-offloading-size", "--kv-offloading-backend"),
        *("--max-num-seqs", "--max-num-active-seqs", "--max-num-queued-reqs", "--max-num-queued-tokens"),
        *("--max-num-batched-tokens", "--max-num-scheduled-tokens", "--long-prefill-token-threshold"),
        *("--enable-chunked-prefill", "--no-enable-chunked-prefill"),
        *("--enable-prefix-caching", "--no-enable-prefix-caching", "--prefix-caching-hash-algo"),
        *("--scheduling-policy", "--async-scheduling", "--no-async-scheduling", "--stream-interval"),
        # how it runs
        *(
            "--enforce-eager",
            "--no-enforce-eager",
            "--cudagraph-capture-sizes",
            "--max-cudagraph-capture-size",
        ),
        *("--distributed-executor-backend", "--data-parallel-backend", "--data-parallel-size-local"),
        *("--disable-custom-all-reduce", "--max-parallel-loading-workers", "--api-server-count"),
        *(
            "--max-cudagraph-capture-size",
            "--renderer-num-workers",
            "--numa-bind",
            "--numa-bind-nodes",
            "--numa-bind-cpus",
        ),
        # where weights are kept, how they are read from there
        *("--download-dir", "--use-tqdm-on-load", "--safetensors-load-strategy"),
        # logs and what a reply reports of the server
        *("--enable-log-requests", "--no-enable-log-requests", "--disable-log-requests", "--max-log-len"),
        *("--disable-log-stats", "--disable-uvicorn-access-log", "--uvicorn-log-level", "--log-level"),
        *("--log-config-file", "--enable-log-outputs", "--enable-prompt-tokens-details"),
        *("--enable-server-load-tracking", "--otlp-traces-endpoint", "--max-logprobs", "--shutdown-timeout"),
    )
)
"""Flags that decide how fast, in how much memory and with what logs a server answers, never what. A flag
that is not listed counts as one that changes answers: asking once too often beats a stranger's answer."""

OWN_SETTINGS = {
    "--model": "the model's `model`",
    "--served-model-name": "the model's `model`",
    "--revision": "the model's `revision`",
    "--max-model-len": "the model's `context_length`",
    "--tensor-parallel-size": "`vllm.tensor_parallel`",
    "-tp": "`vllm.tensor_parallel`",
    "--data-parallel-size": "`vllm.data_parallel`",
    "-dp": "`vllm.data_parallel`",
    "--pipeline-parallel-size": "`vllm.tensor_parallel`, which the number of GPUs follows from",
    "-pp": "`vllm.tensor_parallel`, which the number of GPUs follows from",
    "--seed": "`vllm.seed`",
    "--host": "nothing: the server listens on this machine alone",
    "--port": "nothing: the system gives a free port",
    "--api-key": "nothing: each server gets a key of its own that no file holds",
    "--hf-token": "the environment variable HF_TOKEN, which reaches the server; no file holds a key",
}
"""Flags that the workflow sets itself, and the setting to use."""


def options(flags: Sequence[str]) -> list[tuple[str, ...]]:
    """Group the words of a command line into options with their values.

    Parameters
    ----------
    flags
        One entry a word; `--name=value` and `--name value`, `_` and `-` in a name are the same to vLLM.

    Returns
    -------
    list of tuple
        Name (with dashes) and values of each option, in their order; values before any option come
        under the empty name.
    """
    found: list[list[str]] = []
    for word in flags:
        if word.startswith("-") and not _is_number(word):
            name, equals, value = word.partition("=")
            name = "--" + name[2:].replace("_", "-") if name.startswith("--") else name
            found.append([name, value] if equals else [name])
        elif found:
            found[-1].append(word)
        else:
            found.append(["", word])
    return [tuple(option) for option in found]


def answer_flags(flags: Sequence[str]) -> list[list[str]]:
    """Give the options that can change an answer: part of the journal's key and of what a job depends on.

    Parameters
    ----------
    flags
        As in `vllm.flags`.

    Returns
    -------
    list of list of str
        Options in the order of their names, so that the order of the flags is of no matter. A value
        that is a file, for instance a chat template, is followed by the digest of what it holds.
    """
    kept = [option for option in options(flags) if option[0] not in SPEED_ONLY]
    return [
        [name, *(word for value in values for word in (value, *_digest_of(value)))]
        for name, *values in sorted(kept, key=lambda option: option[0])
    ]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _digest_of(value: str) -> list[str]:
    if "\n" in value or len(value) > 1000:
        return []
    path = Path(value)
    return [_digest(path, path.stat().st_mtime_ns)] if path.is_file() else []


@functools.cache
def _digest(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
