"""A thin chat-completions server over OpenVINO GenAI: `python -m plumbline.models.openvino_server`.

The port opens when the model is ready, so that a refused connection means "not yet".
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click

from plumbline.models.engines import KEY_VARIABLE
from plumbline.models.openvino_engine import Engine, RefusedError


class Handler(BaseHTTPRequestHandler):
    """Chat completions, /v1/models and /health."""

    protocol_version = "HTTP/1.1"
    engine: Engine
    name: str
    key: str

    def do_GET(self) -> None:  # noqa: N802
        """Say that the server is ready, or which model it serves."""
        if self.path == "/health":
            self._send(200, {"status": "ok"})
        elif self.path == "/v1/models" and self._is_allowed():
            self._send(200, {"object": "list", "data": [{"id": self.name, "object": "model"}]})
        else:
            self._refuse(RefusedError(404, f"no such page: {self.path}"))

    def do_POST(self) -> None:  # noqa: N802
        """Answer a chat completion."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            if not self._is_allowed():
                raise RefusedError(401, "the key is wrong")
            if self.path != "/v1/chat/completions":
                raise RefusedError(404, f"no such page: {self.path}")
            body = json.loads(raw)
            if body.get("stream") or body.get("n", 1) != 1:
                raise RefusedError(400, "streams and several choices are not offered")
            self._send(200, self._completion(self.engine.answer(body)))
        except RefusedError as refused:
            self._refuse(refused)
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            self._refuse(RefusedError(400, f"{type(error).__name__}: {error}"))

    def _completion(self, answer: dict[str, Any]) -> dict[str, Any]:
        usage = answer["usage"]
        message = {"role": "assistant", "content": answer["content"]}
        choice = {"index": 0, "message": message, "finish_reason": answer["finish_reason"], "logprobs": None}
        return {
            "id": f"chatcmpl-{secrets.token_hex(8)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.name,
            "choices": [choice],
            "usage": usage | {"total_tokens": usage["prompt_tokens"] + usage["completion_tokens"]},
        }

    def _is_allowed(self) -> bool:
        given = self.headers.get("Authorization", "")
        return not self.key or hmac.compare_digest(given.encode(), f"Bearer {self.key}".encode())

    def _refuse(self, refused: RefusedError) -> None:
        error = {"message": str(refused), "type": "invalid_request_error", "code": refused.code}
        self._send(refused.status, {"error": error})

    def _send(self, status: int, data: dict[str, Any]) -> None:
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing for each request: prompts and keys stay out of the log."""


@click.command()
@click.option("--file", type=click.Path(path_type=Path), required=True, help="A GGUF file.")
@click.option("--name", required=True, help="The model's name.")
@click.option("--port", type=int, required=True, help="Port on 127.0.0.1.")
@click.option("--context", type=int, required=True, help="Longest prompt plus answer, in tokens.")
@click.option("--threads", type=int, required=True, help="CPU threads.")
@click.option("--cache-gb", type=int, required=True, help="Memory of the prefix cache.")
@click.option("--parallel", type=int, required=True, help="Requests that come at once.")
def main(file: Path, name: str, port: int, context: int, threads: int, cache_gb: int, parallel: int) -> None:
    """Serve a GGUF file with OpenVINO GenAI until killed."""
    Handler.engine = Engine(file, context, threads, cache_gb)
    Handler.name, Handler.key = name, os.environ.get(KEY_VARIABLE, "")
    ThreadingHTTPServer.request_queue_size = max(parallel, 16)
    print(f"{name} is ready on port {port}", flush=True)
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
