"""The chat-completions format: the body of a request, and what the body of a response holds."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from plumbline.config.models import NO_BOUND, Model
from plumbline.models.requests import Reply, Request, sent_messages, sent_typed
from plumbline.records import Usage, UserError

QUESTION = "q"
"""Name of the one question of a typed request."""


def body_of(request: Request, model: Model, name: str) -> dict[str, Any]:
    """Give the JSON body of a request.

    Parameters
    ----------
    request, model
        What is asked, of whom.
    name
        The model's name as the server knows it.

    Returns
    -------
    dict
        `decoding.extra` has the last word: a key with null is left out of the body, and
        `max_completion_tokens` stands for `max_tokens`.

    Raises
    ------
    UserError
        If the thinking is to be bounded alone, and the server has no field for that.
    """
    decoding = request.decoding
    body: dict[str, Any] = {
        "model": name,
        "messages": sent_messages(request.messages, model.system_role),
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "max_tokens": None if "max_completion_tokens" in decoding.extra else decoding.max_tokens,
        "seed": _seed(request),
    }
    if request.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": dict(request.schema), "strict": True},
        }
    if request.top_logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    if decoding.thinking is not None:
        body["chat_template_kwargs"] = {"enable_thinking": decoding.thinking}
    if decoding.thinking_tokens is not None and decoding.thinking is not False:
        _bound_thinking(body, model, name, decoding.thinking_tokens)
    for key, value in decoding.extra.items():
        both = isinstance(value, dict) and isinstance(body.get(key), dict)
        body[key] = body[key] | value if both else value
    return {key: value for key, value in body.items() if value is not None}


def _bound_thinking(body: dict[str, Any], model: Model, name: str, tokens: int) -> None:
    field = model.bound_on_thinking
    if field is None:
        raise UserError(f"{name}: {NO_BOUND}")
    *outer, last = field.split(".")
    for key in outer:
        body = body.setdefault(key, {})
    body[last] = tokens


def _seed(request: Request) -> int | None:
    """Give each draw its own seed, or replicates and repeats would be copies of the first answer."""
    seed = request.decoding.seed
    if seed is None or not request.is_sampled:
        return seed
    name = f"{seed}|{request.item}|{request.replicate}|{request.attempt}"
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:4], "big") >> 1


def typed_body(request: Request, name: str) -> dict[str, Any]:
    """Give the JSON body of a typed question: one statement that holds or not (`noul`), about a state.

    Parameters
    ----------
    request
        Its `typed` holds the state and the question.
    name
        The model's name as the server knows it.
    """
    typed = sent_typed(request.typed or {})
    question = {"type": "noul", "instructions": typed["instructions"]}
    body = {"model": name, "state": typed["state"], "questions": {QUESTION: question}}
    return body | {key: value for key, value in request.decoding.extra.items() if value is not None}


def typed_reply_of(data: Any) -> Reply | None:
    """Read the body of a typed-question server's response; None if it answers nothing.

    The reply's text is the JSON of `model` and `answers`: which model answered is read with the answer.
    """
    if not isinstance(data, dict) or not isinstance(data.get("answers"), dict) or not data["answers"]:
        return None
    usage = data.get("usage")
    tokens = usage if isinstance(usage, dict) else {}
    counted = Usage(
        prompt_tokens=_count(tokens.get("input_tokens")),
        completion_tokens=_count(tokens.get("output_tokens")),
    )
    text = json.dumps({"model": data.get("model"), "answers": data["answers"]}, ensure_ascii=False)
    return Reply(text, finish_reason="stop", usage=counted)


def reply_of(data: Any) -> Reply | None:
    """Read the one choice of a response; None if it holds none.

    Parameters
    ----------
    data
        The decoded body of a response with status 200.
    """
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return None
    return Reply(
        text=_text(message.get("content")),
        reasoning=_text(message.get("reasoning")) or _text(message.get("reasoning_content")),
        refusal=_text(message.get("refusal")),
        finish_reason=_text(choice.get("finish_reason")),
        logprobs=_logprobs(choice.get("logprobs")),
        usage=_usage(data.get("usage")),
    )


def _text(value: Any) -> str | None:
    """Give the text of a field that may be absent, a string, or a list of parts."""
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return value if isinstance(value, str) else None


def _logprobs(value: Any) -> list[dict[str, Any]] | None:
    tokens = value.get("content") if isinstance(value, dict) else None
    if not isinstance(tokens, list):
        return None
    return [
        {
            "token": token.get("token"),
            "logprob": token.get("logprob"),
            "top": [[top.get("token"), top.get("logprob")] for top in token.get("top_logprobs") or ()],
        }
        for token in tokens
        if isinstance(token, dict)
    ]


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(
        prompt_tokens=_count(value.get("prompt_tokens")),
        completion_tokens=_count(value.get("completion_tokens")),
        cached_tokens=cached if isinstance(cached, int) else None,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
