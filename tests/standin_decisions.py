"""A real local typed-question server; as a child: `python standin_decisions.py --port N`."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class TypedServer:
    """Answers `POST /v1/systemone` and `/api/alpha/decisions` with `replies` in order, the last one for good.

    A reply is a function of the request's body that gives the response's body, or (status, body).
    """

    def __init__(self, *replies: Callable[[dict[str, Any]], Any], key: str = "secret", port: int = 0) -> None:
        self.replies = replies or (answer(0.5),)
        self.key = key
        self.port = port
        self.bodies: list[dict[str, Any]] = []

    def __enter__(self) -> TypedServer:
        handler = type("Handler", (_Handler,), {"standin": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.root = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def answer(noul: Any, model: str | None = None) -> Callable[[dict[str, Any]], Any]:
    """Give a reply of the documented shape; `model` is another one than was asked for."""

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        answers = {name: {"type": "noul", "noul": noul} for name in body["questions"]}
        usage = {"input_tokens": 40, "output_tokens": 1}
        return {"model": model or body["model"], "answers": answers, "usage": usage}

    return reply


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standin: TypedServer

    def log_message(self, *parts: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.reply(200 if self.path == "/health" else 404, {"ok": True})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {self.standin.key}":
            self.reply(401, {"detail": "invalid API key"})
        elif self.path not in ("/v1/systemone", "/api/alpha/decisions"):
            self.reply(404, {"detail": f"no page {self.path}"})
        else:
            self.standin.bodies.append(body)
            turn = min(len(self.standin.bodies), len(self.standin.replies)) - 1
            made = self.standin.replies[turn](body)
            self.reply(*(made if isinstance(made, tuple) else (200, made)))

    def reply(self, status: int, data: Any) -> None:
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


if __name__ == "__main__":
    port = int(sys.argv[sys.argv.index("--port") + 1])
    with TypedServer(answer(0.25), key=os.environ.get("CLM_API_KEY", ""), port=port):
        threading.Event().wait()
