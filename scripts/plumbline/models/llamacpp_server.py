"""llama.cpp's own server in a process that can be killed: `python -m plumbline.models.llamacpp_server`."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import click
import xllamacpp

from plumbline.models.engines import KEY_VARIABLE


@click.command()
@click.option("--file", type=click.Path(path_type=Path), required=True, help="A GGUF file.")
@click.option("--name", required=True, help="The model's name.")
@click.option("--port", type=int, required=True, help="Port on 127.0.0.1.")
@click.option("--context", type=int, required=True, help="Longest prompt plus answer, in tokens.")
@click.option("--threads", type=int, required=True, help="CPU threads.")
@click.option("--cache-gb", type=int, required=True, help="Memory of the prefix cache.")
@click.option("--parallel", type=int, required=True, help="Requests that come at once.")
def main(file: Path, name: str, port: int, context: int, threads: int, cache_gb: int, parallel: int) -> None:
    """Serve a GGUF file with llama.cpp until killed."""
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = parallel
    # each slot has a whole context, so that the limit on a prompt is the model's
    params.n_ctx = context * parallel
    params.kv_unified = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 1024 * cache_gb
    params.verbosity = 1
    key = os.environ.get(KEY_VARIABLE, "")
    params.api_keys = [key] if key else []
    server = xllamacpp.Server(params)
    print(f"{name} is ready on {server.listening_address}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
