"""OpenVINO GenAI's continuous batching behind one method: a chat completion in, an answer out.

One thread owns the pipeline and steps it; requests that arrive meanwhile join its batch.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openvino_genai as genai

from plumbline.models.grammar import compact_grammar

BATCHED_TOKENS = 2048


class RefusedError(Exception):
    """A request that cannot be answered, with its HTTP status and error code."""

    def __init__(self, status: int, message: str, code: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status, self.code = status, code


@dataclass
class Job:
    """A request on its way through the pipeline; the result is (generated ids, finish reason)."""

    ids: Any
    config: Any
    result: Future[tuple[list[int], str]] = field(default_factory=Future)


class Engine:
    """The model, its tokenizer and the thread that steps it.

    Parameters
    ----------
    file
        A GGUF file.
    context
        Longest prompt plus answer, in tokens.
    threads, cache_gb
        CPU threads, and memory for the prefix cache.
    """

    def __init__(self, file: Path, context: int, threads: int, cache_gb: int) -> None:
        scheduler = genai.SchedulerConfig()
        scheduler.cache_size = cache_gb
        scheduler.enable_prefix_caching = True
        scheduler.max_num_batched_tokens = BATCHED_TOKENS
        self._pipeline = genai.ContinuousBatchingPipeline(
            str(file), scheduler, "CPU", {"INFERENCE_NUM_THREADS": threads}
        )
        self._tokenizer = self._pipeline.get_tokenizer()
        self._context = context
        self._jobs: queue.Queue[Job] = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer one request; `body` and the result are those of chat completions."""
        if body.get("logprobs") or body.get("top_logprobs"):
            raise RefusedError(
                400,
                "the openvino backend gives no log-probabilities of alternatives;"
                " set `embedded: {backend: llamacpp}` for this model",
            )
        extra = body.get("chat_template_kwargs") or {}
        prompt = self._tokenizer.apply_chat_template(
            body["messages"], add_generation_prompt=True, extra_context=extra
        )
        ids = self._tokenizer.encode(prompt, add_special_tokens=False).input_ids
        length = ids.shape[1]
        wanted = int(body.get("max_completion_tokens") or body.get("max_tokens") or 1)
        # as vLLM does: an answer cut by the context would look like one that the model ended too late
        if length + wanted > self._context:
            raise RefusedError(
                400,
                f"This model's maximum context length is {self._context} tokens. However, your request"
                f" has {length} input tokens and asks for {wanted} more.",
                "context_length_exceeded",
            )
        job = Job(ids, self._config(body, self._context - length))
        self._jobs.put(job)
        generated, reason = job.result.result()
        return {
            "content": self._tokenizer.decode(generated, skip_special_tokens=True),
            "finish_reason": reason,
            "usage": {"prompt_tokens": length, "completion_tokens": len(generated)},
        }

    def _config(self, body: dict[str, Any], room: int) -> Any:
        config = genai.GenerationConfig()
        wanted = body.get("max_completion_tokens") or body.get("max_tokens") or room
        config.max_new_tokens = min(int(wanted), room)
        temperature = float(body.get("temperature", 1.0))
        config.do_sample = temperature > 0
        if config.do_sample:
            config.temperature = temperature
            config.top_p = float(body.get("top_p", 1.0))
            config.rng_seed = int(body["seed"]) if "seed" in body else secrets.randbits(31)
        form = body.get("response_format") or {}
        if form.get("type") == "json_schema":
            schema = form["json_schema"]["schema"]
            grammar = compact_grammar(schema)
            limits = {"grammar": grammar} if grammar else {"json_schema": json.dumps(schema)}
            config.structured_output_config = genai.StructuredOutputConfig(**limits)
        config.validate()
        return config

    def _run(self) -> None:
        running: list[tuple[Job, Any]] = []
        newest: Any = None
        number = 0
        while True:
            # one new request at a time, and the next once this one's prompt is computed: it then finds what
            # both prompts begin with in the prefix cache. An idle engine waits.
            while not running or (_is_prompt_done(newest) and not self._jobs.empty()):
                job = self._jobs.get()
                number += 1
                try:
                    newest = self._pipeline.add_request(number, job.ids, job.config)
                    running.append((job, newest))
                except Exception as error:
                    job.result.set_exception(RefusedError(400, str(error)))
            try:
                self._pipeline.step()
            except Exception as error:
                # the pipeline's state is unknown now: end, so that the job sees a dead server
                print(f"the pipeline failed: {error}", flush=True)
                os._exit(1)
            running = [entry for entry in running if not _settle(*entry)]


def _is_prompt_done(handle: Any) -> bool:
    """Whether a request has its first token, or has ended."""
    return handle is None or handle.can_read() or handle.get_status() != genai.GenerationStatus.RUNNING


def _settle(job: Job, handle: Any) -> bool:
    """Hand over a finished generation; say whether it is finished."""
    status = handle.get_status()
    if status == genai.GenerationStatus.RUNNING:
        return False
    if status != genai.GenerationStatus.FINISHED:
        job.result.set_exception(RefusedError(503, f"generation ended early ({status.name}): raise cache_gb"))
        return True
    output = handle.read_all()[0]
    cut = output.finish_reason == genai.GenerationFinishReason.LENGTH
    job.result.set_result((list(output.generated_ids), "length" if cut else "stop"))
    return True
