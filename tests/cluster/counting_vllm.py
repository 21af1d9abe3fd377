"""A program that takes the arguments of `vllm serve`, answers by the prompt alone and notes what it is asked.

Each server writes a file of its own in `--notes`: a line on itself, then one for each request when it comes
and one when its answer is sent. While a file `MODEL.hold` is there, it answers as many as the file says.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fixed_answers import completion, number_of, verdict

parser = argparse.ArgumentParser()
parser.add_argument("--notes", type=Path, required=True)
parser.add_argument("serve")
parser.add_argument("name")
parser.add_argument("--port", type=int)
parser.add_argument("--served-model-name", nargs="+")
known, _ = parser.parse_known_args()

# a worker process, as the real one has; it must not outlive the job either
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
notes = (known.notes / f"{known.name}.{time.time_ns()}.jsonl").open("a", buffering=1)
hold = known.notes / f"{known.name}.hold"
lock = threading.Lock()
answered = 0


def note(event, **fields):
    notes.write(json.dumps({"event": event, **fields}) + "\n")


def wait_for_a_turn():
    global answered
    while True:
        with lock:
            if not hold.exists() or answered < int(hold.read_text()):
                answered += 1
                return
        time.sleep(0.05)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *parts):
        pass

    def do_GET(self):
        models = [{"id": name} for name in known.served_model_name]
        self.reply({"data": models} if self.path == "/v1/models" else {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        if "canary" in schema.get("properties", {}):
            self.reply(completion('{"canary": "plumbline-7"}'))
            return
        number = number_of(body)
        note("asked", prompt=number)
        wait_for_a_turn()
        self.reply(completion(verdict(body)))
        note("answered", prompt=number)

    def reply(self, data):
        payload = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


server = ThreadingHTTPServer(("127.0.0.1", known.port), Handler)
server.daemon_threads = True
note(
    "started",
    pids=[os.getpid(), worker.pid],
    device=os.environ.get("CUDA_VISIBLE_DEVICES"),
    job=os.environ.get("SLURM_JOB_ID"),
)
server.serve_forever()
