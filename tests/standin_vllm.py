"""A program that takes the arguments of `vllm serve` and behaves like it, for a while."""

import argparse
import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--ready-after", type=float, default=0.0)
parser.add_argument("--exits-after", type=float)
parser.add_argument("--exit-code", type=int, default=1)
parser.add_argument("--says", action="append", default=[])
parser.add_argument("--dies-after-replies", type=int)
parser.add_argument("--notes", type=Path)
parser.add_argument("serve")
parser.add_argument("name")
parser.add_argument("--port", type=int)
parser.add_argument("--served-model-name", nargs="+")
known, others = parser.parse_known_args()

print("vLLM stand-in", flush=True)
if known.exits_after is not None:
    time.sleep(known.exits_after)
    print("\n".join(known.says), flush=True)
    sys.exit(known.exit_code)
# a worker process, as the real one has
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
passed_on = ("HF_HOME", "PYTHONPATH", "VLLM_API_KEY", "APPTAINERENV_VLLM_API_KEY")
notes = {"argv": sys.argv[1:], "pid": os.getpid(), "worker": worker.pid, "replies": 0, "ready": None}
notes["variables"] = {name: os.environ[name] for name in passed_on if name in os.environ}


def note(**changes):
    notes.update(changes)
    if known.notes:
        known.notes.write_text(json.dumps(notes))


note()
time.sleep(known.ready_after)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *parts):
        pass

    def do_GET(self):
        if self.path == "/health":
            self.reply({})
        elif self.headers.get("Authorization") == f"Bearer {os.environ['VLLM_API_KEY']}":
            self.reply({"data": [{"id": name} for name in known.served_model_name]})

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        note(replies=notes["replies"] + 1)
        if known.dies_after_replies is not None and notes["replies"] > known.dies_after_replies:
            print("\n".join(known.says), flush=True)
            worker.kill()
            os._exit(known.exit_code)
        message = {"role": "assistant", "content": "fine"}
        self.reply({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})

    def reply(self, data):
        payload = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


server = ThreadingHTTPServer(("127.0.0.1", known.port), Handler)
note(ready=time.time())
server.serve_forever()
