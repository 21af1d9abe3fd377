"""Requests per second of `plumbline.models.ask`, journal on, against the bare `openai` client.

Both ask the same stand-in server, in a process of its own, that answers each request after 50 ms; 64
requests are in flight. The two take turns and the median of each counts.

    python benchmarks/client_throughput.py --json
"""

import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path

import click
from openai import AsyncOpenAI

from plumbline.config.models import Decoding, Model
from plumbline.models import Request, ask

LEAST_RATIO = 0.85
ANSWER = json.dumps(
    {name: {"accuracy": 1, "justification": "The plan holds what the query asks for."} for name in "abcd"}
)
PADDING = "Each tool has a name, a description and a schema of its parameters. " * 60


class Protocol(asyncio.Protocol):
    """Reads requests off a connection and answers each after the latency."""

    latency_s = 0.05

    def connection_made(self, transport):
        """Start with nothing read."""
        self.transport, self.buffer = transport, b""

    def data_received(self, data):
        """Answer each request that is whole."""
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, rest = self.buffer.partition(b"\r\n\r\n")
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            if head.startswith(b"GET"):
                self.answer({"data": [{"id": "judge"}]})
            else:
                asyncio.get_running_loop().call_later(self.latency_s, self.answer, completion())

    def answer(self, data):
        """Write one response."""
        payload = json.dumps(data).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
        self.transport.write(head.encode() + payload)


def completion():
    """Give a reply of a usual size."""
    message = {"role": "assistant", "content": ANSWER}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 900, "completion_tokens": 90, "total_tokens": 990}
    return {"id": "c", "object": "chat.completion", "created": 0, "choices": [choice], "usage": usage}


def serve(pipe):
    """Run the stand-in and tell its port."""

    async def run():
        server = await asyncio.get_running_loop().create_server(Protocol, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def prompts(count, salt):
    """Give prompts of about 4 kB that are all different."""
    return [f"{PADDING}\n{salt} {number}" for number in range(count)]


def rate_of_ask(url, count, in_flight, salt):
    """Give the requests per second of `ask`."""
    model = Model(engine="endpoint", base_url=url, model="judge", concurrency=in_flight)
    items = [
        Request(f"i{number}", ({"role": "user", "content": text},), Decoding())
        for number, text in enumerate(prompts(count, salt))
    ]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        report = ask(items, "judge", model, journal=Path(folder), lane="bench", total=count)
        took = time.perf_counter() - start
    assert report.answered == count
    return count / took


def rate_of_bare_client(url, count, in_flight, salt):
    """Give the requests per second of a plain loop over the openai client."""

    async def run():
        waiting = iter(prompts(count, salt))

        async def work(client):
            for text in waiting:
                reply = await client.chat.completions.create(
                    model="judge",
                    messages=[{"role": "user", "content": text}],
                    temperature=0.0,
                    max_tokens=1024,
                )
                assert reply.choices[0].message.content

        async with AsyncOpenAI(base_url=url, api_key="no-key-needed", max_retries=0) as client:
            await asyncio.gather(*(work(client) for _ in range(in_flight)))

    start = time.perf_counter()
    asyncio.run(run())
    return count / (time.perf_counter() - start)


@click.command()
@click.option("--requests", default=3000, show_default=True, help="Requests of each round.")
@click.option("--in-flight", default=64, show_default=True, help="Requests in flight.")
@click.option("--rounds", default=3, show_default=True, help="Rounds of each client.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(requests, in_flight, rounds, as_json):
    """Compare; exits with 1 if the ratio is below 0.85."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    ours, bare = [], []
    for number in range(rounds):
        bare.append(rate_of_bare_client(url, requests, in_flight, f"bare {number}"))
        ours.append(rate_of_ask(url, requests, in_flight, f"ours {number}"))
    server.terminate()
    result = {
        "requests": requests,
        "in_flight": in_flight,
        "ask_per_s": round(statistics.median(ours), 1),
        "bare_per_s": round(statistics.median(bare), 1),
        "ratio": round(statistics.median(ours) / statistics.median(bare), 3),
    }
    if as_json:
        print(json.dumps(result))
    else:
        print(
            f"ask {result['ask_per_s']}/s, bare openai client {result['bare_per_s']}/s,"
            f" ratio {result['ratio']} (at least {LEAST_RATIO})"
        )
    sys.exit(result["ratio"] < LEAST_RATIO)


if __name__ == "__main__":
    main()
