"""From a model's reply to its answer: reasoning cut, fences seen through, nothing repaired."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from plumbline.answers.forms import is_blank, trim, whole_value
from plumbline.answers.json_values import shown, without_surrogates
from plumbline.answers.tolerant_json import Decoder

_CHANNEL = "<|channel|>"
_FINAL = re.compile(r"<\|channel\|>\s*final\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>")
_LOST_FINAL = "assistantfinal"
_CLOSING = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENING = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """What a reply says once all that is not the answer is cut.

    Attributes
    ----------
    decoder
        Holds the text that is left, trimmed.
    whole
        Whether that text is as a whole one JSON value (a code fence around it allowed).
    uncut
        Whether the caller asked for the reply as it is, because it holds what must not be cut.
    status, detail
        The status, with a sentence, if there is nothing to read; else None.
    """

    decoder: Decoder
    whole: bool = False
    uncut: bool = False
    status: Literal["refused", "empty", "truncated"] | None = None
    detail: str | None = None

    @property
    def text(self) -> str:
        """The text that is left to read."""
        return self.decoder.text


def clean(
    text: str | None,
    *,
    finish_reason: str | None = None,
    refusal: str | None = None,
    leave: Callable[[str], bool] | None = None,
) -> Answer:
    """Cut a reply down to its answer.

    Parameters
    ----------
    text
        The reply; None is blank. A separate reasoning field is never part of it.
    finish_reason
        As the server reports it; None if it does not. `content_filter` is a refusal; `length` makes
        every answer truncated unless it is empty.
    refusal
        The reply's refusal field; any text in it is a refusal.
    leave
        Says of a reply that is not one JSON value whether it must be kept uncut.

    Returns
    -------
    Answer
        With a status if the reply is refused, empty or truncated.

    Notes
    -----
    Items A8, A16. A reply that is one JSON value is never cut: a `</think>` in a string is just text. If
    that value is a string, its content takes the reply's place, once. Otherwise harmony channels other
    than the last final one go, then everything up to the closing reasoning tag, then everything from an
    opening tag that is never closed.
    """
    if finish_reason == "content_filter":
        return _failed("refused", "The provider's content filter stopped the reply.")
    if refusal is not None and trim(refusal):
        words = shown(without_surrogates(trim(refusal)), 200)
        return _failed("refused", f"The reply's refusal field says {words}.")
    reply = trim(without_surrogates(text or ""))
    decoder = Decoder(reply)
    found = whole_value(decoder)
    if found is not None and isinstance(found.value, str):
        decoder = Decoder(trim(found.value))
        found = whole_value(decoder)
    uncut = found is None and leave is not None and leave(decoder.text)
    if found is None and not uncut:
        left = _cut_reasoning(_cut_channels(decoder.text))
        if left != decoder.text:
            decoder = Decoder(left)
            found = whole_value(decoder)
    if is_blank(decoder.text):
        what = "The reply is blank." if not reply else "Nothing is left after the reasoning is cut."
        return _failed("empty", what)
    if finish_reason == "length":
        return _failed("truncated", "The token limit cut the answer.")
    return Answer(decoder, whole=found is not None, uncut=uncut)


def reasoned(text: str | None, reasoning: str | None = None) -> bool:
    """Tell whether a reply came with reasoning; an empty pair of tags is none.

    Parameters
    ----------
    text, reasoning
        The reply, and the server's separate field for reasoning.
    """
    if trim(reasoning or ""):
        return True
    reply = trim(without_surrogates(text or ""))
    if whole_value(Decoder(reply)):
        return False
    if _cut_channels(reply) != reply:
        return True
    closings = list(_CLOSING.finditer(reply))
    opening = _OPENING.search(reply)
    if not closings:
        return opening is not None and bool(trim(reply[opening.end() :]))
    return bool(trim(_OPENING.sub("", reply[: closings[0].start()])))


def _failed(status: Literal["refused", "empty", "truncated"], detail: str) -> Answer:
    return Answer(Decoder(""), status=status, detail=detail)


def _cut_channels(text: str) -> str:
    """Keep the last final channel of a harmony reply; a reply that has channels but no final one is blank."""
    if _CHANNEL in text:
        finals = list(_FINAL.finditer(text))
        if not finals:
            return ""
        return trim(text[finals[-1].end() :].partition("<|")[0])
    if text.startswith("analysis") and _LOST_FINAL in text:
        return trim(text.rpartition(_LOST_FINAL)[2])
    return text


def _cut_reasoning(text: str) -> str:
    """Cut up to the closing tag, then from an opening one; a text that is one JSON value stays."""
    if not _OPENING.search(text) and not _CLOSING.search(text):
        return text
    decoder = Decoder(text)
    if whole_value(decoder):
        return text
    ends = [tag.end() for tag in _CLOSING.finditer(text)]
    if ends:
        # an answer may quote a closing tag, so the first one decides if an answer stands behind it
        start = next((end for end in ends if whole_value(decoder, end)), ends[-1])
        text = trim(text[start:])
    opening = _OPENING.search(text)
    if opening and not whole_value(Decoder(text)):
        text = trim(text[: opening.start()])
    return text
