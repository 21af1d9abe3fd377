"""What is asked of a model, and what comes back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict

from plumbline.config.models import Decoding, Model
from plumbline.config.vllm_flags import answer_flags
from plumbline.records import Usage

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Message(TypedDict):
    """One message of a chat; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Parameters
    ----------
    item
        Who asks, stable over runs, for instance `record|tier|generator|condition`.
    messages
        The prompt; empty for the simulated engine.
    decoding
        How the answer is sampled, fully resolved.
    schema
        JSON Schema that the answer must fit (structured output), or None.
    top_logprobs
        Number of alternatives whose log-probability is wanted for each token, or None.
    answers
        Spellings of an answer whose probability at its first token is wanted (`first_token.spellings`): the
        server is asked for just these where it offers that.
    typed
        For a typed-question server alone: `{"state": text, "instructions": question}`.
    replicate, attempt
        Repetition of the item, and which repeat of an unreadable answer this is; each has its own key.
    simulation
        For the simulated engine alone: `{"kind": "verdict", "condition": slug, "scores": {metric:
        score}}`, also with `judge` and `agreement`; `{"kind": "plan", "tier": tier, "calls": [call]}`;
        `{"kind": "value", "judge": slug, "input": slug, "label": label, "path": path}`; or
        `{"kind": "text", "text": text}`.
    """

    item: str
    messages: tuple[Message, ...]
    decoding: Decoding
    schema: Mapping[str, Any] | None = None
    top_logprobs: int | None = None
    answers: tuple[str, ...] = ()
    typed: Mapping[str, str] | None = None
    replicate: int = 0
    attempt: int = 0
    simulation: Mapping[str, Any] | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether the same prompt may give another answer."""
        return self.decoding.is_sampled

    def key(self, slug: str, model: Model) -> str:
        """Name of the answer in the journal: SHA-256, in hex, of everything that can change it.

        Parameters
        ----------
        slug, model
            The model by its name in the configuration, and its settings.

        Returns
        -------
        str
            64 hexadecimal digits. Host, port, concurrency, time-outs and prices have no part in it. The
            item has one only if the answer is sampled or simulated: at temperature 0 equal prompts
            share an answer, above it two items never share a draw.
        """
        parts: dict[str, Any] = {
            "model": [slug, model.model, model.revision],
            "messages": sent_messages(self.messages, model.system_role),
            "decoding": self.decoding.model_dump(),
            # the order of a schema's properties is the order of the answer, so keys are not sorted
            "schema": self.schema if self.schema is None else dict(self.schema),
            "top_logprobs": self.top_logprobs,
            "replicate": self.replicate,
            "attempt": self.attempt,
        }
        if self.answers:
            parts["answers"] = self.answers
        if self.typed is not None:
            parts["typed"] = sent_typed(self.typed)
        if model.engine == "embedded":
            parts["weights"] = [model.embedded.backend, model.embedded.file]
        if model.thinking_field is not None and self.decoding.thinking_tokens is not None:
            parts["thinking_field"] = model.thinking_field
        flags = answer_flags(model.vllm.flags) if model.engine == "vllm" else []
        if flags:
            parts["flags"] = flags
        if model.engine == "simulated":
            parts["simulation"] = [model.simulation.model_dump(), self.simulation]
        if self.is_sampled or model.engine == "simulated":
            parts["item"] = self.item
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def next_attempt(self) -> Request:
        """Give the same question as the attempt that follows."""
        return replace(self, attempt=self.attempt + 1)


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply, whatever a parser makes of it.

    `logprobs` has one entry a generated token: `{"token", "logprob", "top": [[token, logprob], ...]}`; a
    number in it may be NaN or -9999.0, as the server sent it. Where certain answers were asked for there is
    only the entry of the answer's first token; its `asked` lists the tokens that the server was asked for by
    number. The `text` of a typed-question server's reply is the body as it came. `seconds` is what the server
    worked on it, every attempt included (`ServerTime`); None in a reply that was drawn, or written before
    times were kept.
    """

    text: str | None
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    logprobs: list[dict[str, Any]] | None = None
    usage: Usage | None = None
    seconds: float | None = field(default=None, compare=False)

    @property
    def is_refused(self) -> bool:
        """Whether the provider's filter or the model's refusal field declined."""
        return self.finish_reason == "content_filter" or bool(self.refusal and self.refusal.strip())


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply: the prompt is too long, a permanent error, or the attempts are used up."""

    status: Literal["overflow", "rejected", "gave_up"]
    detail: str


def sent_typed(typed: Mapping[str, str]) -> dict[str, str]:
    """Give a typed question as it is sent: a lone surrogate has become U+FFFD."""
    return {name: _LONE_SURROGATE.sub("\ufffd", text) for name, text in typed.items()}


def sent_messages(messages: tuple[Message, ...], system_role: bool) -> list[Message]:
    """Give the messages as they are sent.

    Parameters
    ----------
    messages
        The prompt.
    system_role
        If False, system text stands first in the first user message.

    Returns
    -------
    list of Message
        A lone surrogate, which no request can carry, has become U+FFFD.
    """
    sent = [Message(role=m["role"], content=_LONE_SURROGATE.sub("\ufffd", m["content"])) for m in messages]
    if system_role or not sent:
        return sent
    system = [message["content"] for message in sent if message["role"] == "system"]
    rest = [message for message in sent if message["role"] != "system"]
    if not system:
        return rest
    if not rest or rest[0]["role"] != "user":
        rest.insert(0, Message(role="user", content=""))
    text = "\n\n".join(part for part in (*system, rest[0]["content"]) if part)
    return [Message(role="user", content=text), *rest[1:]]
