"""A real local server that plays the replies a case asks for, and clocks that need no waiting."""

import asyncio
import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from plumbline.config.models import Decoding, Model
from plumbline.models import Clock, Request

METRICS = ("tool_selection", "parameter_structure", "sequence", "query_coverage")
GOOD_TEXT = json.dumps({metric: {"accuracy": 1, "justification": "fits"} for metric in METRICS})
SCHEMA = {"type": "object", "properties": {"a": {"enum": [0, 1]}}, "required": ["a"]}


def choice_body(choice, response_id="chatcmpl-1"):
    """The JSON text of a 200 reply; the string "@NaN" stands for the bare token NaN."""
    choice = {"index": 0, "finish_reason": "stop", **choice}
    choice["message"] = {"role": "assistant", "content": GOOD_TEXT, **choice.get("message", {})}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return json.dumps({"id": response_id, "choices": [choice], "usage": usage}).replace('"@NaN"', "NaN")


class StandIn:
    """Answers chat completions with `replies` in order, the last one again and again.

    A reply is `{"good": True}`, `{"http": status, "headers", "body"}`, `{"choice": {...}}`, `{"reset":
    "mid_body"}`, `{"timeout": "read"}`, `{"refused": True}`, or a function of the request's body.
    """

    def __init__(self, replies=({"good": True},), listed=("judge",), canary=None, latency_s=0.0):
        self.replies = list(replies)
        self.listed = listed
        self.canary = canary
        self.latency_s = latency_s
        self.bodies = []
        self.headers = []
        self.connections = 0
        self.lock = threading.Lock()

    def __enter__(self):
        standin = self

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def get_request(self):
                standin.connections += 1
                return super().get_request()

            def handle_error(self, request, client_address):
                pass

        class Handler(_Handler):
            pass

        Handler.standin = standin
        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()

    def take(self, body):
        with self.lock:
            number = len(self.bodies)
            self.bodies.append(body)
        last = len(self.replies) - 1
        following = self.replies[min(number + 1, last)]
        reply = self.replies[min(number, last)]
        return reply, isinstance(following, dict) and "refused" in following

    @property
    def prompts(self):
        return [body["messages"][-1]["content"] for body in self.bodies]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *parts):
        pass

    def do_GET(self):
        if self.path == "/health":
            self.reply(200, "{}")
        elif self.path == "/v1/models" and self.standin.listed is not None:
            self.reply(200, json.dumps({"data": [{"id": name} for name in self.standin.listed]}))
        else:
            self.reply(404, '{"error": {"message": "no such page"}}')

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        if "canary" in schema.get("properties", {}):
            answer = self.standin.canary or '{"canary": "plumbline-7"}'
            self.reply(200, choice_body({"message": {"content": answer}}))
            return
        self.standin.headers.append(self.headers)
        if self.standin.latency_s:
            time.sleep(self.standin.latency_s)
        reply, closes = self.standin.take(body)
        if callable(reply):
            reply = reply(body)
        if closes:
            self.standin.server.socket.close()
        self.play(reply, closes)

    def play(self, reply, closes):
        if "reset" in reply:
            payload = choice_body({}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload[: len(payload) // 2])
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
        elif "timeout" in reply:
            time.sleep(1.0)
            self.close_connection = True
        elif "http" in reply:
            body = reply.get("body", "")
            text = body if isinstance(body, str) else json.dumps(body)
            self.reply(reply["http"], text, reply.get("headers", {}))
        else:
            text = choice_body(reply.get("choice", {}), reply.get("id", "chatcmpl-1"))
            self.reply(200, text, {"Connection": "close"} if closes else {})

    def reply(self, status, text, headers=None):
        payload = text.encode()
        self.send_response(status)
        headers = {"Content-Type": "application/json", **(headers or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


class FakeClock(Clock):
    """Waits for nothing and remembers how long it was told to wait."""

    def __init__(self):
        self.waits = []

    def now(self):
        return sum(self.waits)

    wall = now

    def pause(self, seconds):
        self.waits.append(seconds)

    async def sleep(self, seconds):
        self.waits.append(seconds)
        await asyncio.sleep(0)


class ScaledClock(Clock):
    """A minute of the case passes in a second."""

    factor = 60.0

    def now(self):
        return time.monotonic() * self.factor

    def wall(self):
        return time.time() * self.factor

    def pause(self, seconds):
        time.sleep(seconds / self.factor)

    async def sleep(self, seconds):
        await asyncio.sleep(seconds / self.factor)


def endpoint(url, **settings):
    """A model behind a stand-in."""
    defaults = {"model": "judge", "concurrency": 4, "read_timeout_s": 0.4}
    return Model(engine="endpoint", base_url=url, **(defaults | settings))


def questions(count, temperature=0.0, text="plan {}", **settings):
    """Requests `item0`, `item1`, ... each with its own prompt."""
    decoding = Decoding(temperature=temperature)
    return [
        Request(f"item{k}", ({"role": "user", "content": text.format(k)},), decoding, **settings)
        for k in range(count)
    ]
