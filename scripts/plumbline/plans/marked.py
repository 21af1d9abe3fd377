"""Calls that a chat template marks: `<tool_call>`, `[TOOL_CALLS]` and harmony headers."""

from __future__ import annotations

import re
from typing import Any

from plumbline.answers import Decoder, MalformedError, shown, trim
from plumbline.plans.call_objects import UnreadableCallError, read_arguments, read_call, read_calls
from plumbline.records import ToolCall

TAG = "<tool_call>"
MARKER = "[TOOL_CALLS]"

_CLOSING_TAG = "</tool_call>"
_MARKERS = re.compile(r"(?:\[TOOL_CALLS\]\s*+)++")
_MARKED_NAME = re.compile(r"([^\[{\n\"']++)(?:\[ARGS\])?\s*+(?=\{)")
_SPECIAL = r"(?:<\|[a-z_]+\|>|</?s>)"
_LEADING = re.compile(rf"(?:\s*+{_SPECIAL})*+")
_LAST = re.compile(_SPECIAL)
_NOTHING_LEFT = re.compile(rf"\s*+(?:{_SPECIAL}\s*+)*+\Z")
_HARMONY_TOKEN = re.compile(r"<\|(start|channel|message|end|call|return)\|>")
_HARMONY_START = re.compile(r"\s*(?:assistant)?\s*to=functions\.")
_ADDRESS = re.compile(r"(?:^|[\s>])to=functions\.([^\s<]+)")


def drop_tokens(text: str) -> str:
    """Drop the special tokens at both ends of an answer, such as `<|python_tag|>` and `<|eot_id|>`."""
    leading = _LEADING.match(text)
    start, end = leading.end() if leading else 0, len(text)
    last = text.rfind("<", start)
    while last >= 0 and _LAST.fullmatch(text, last, end):
        end = last
        while end > start and text[end - 1].isspace():
            end -= 1
        last = text.rfind("<", start, end)
    return trim(text[start:end])


def tagged_calls(text: str) -> list[ToolCall]:
    """Read what stands behind each `<tool_call>`: calls or arrays of calls, nothing else.

    Text outside the tags is ignored; a closing tag may be missing, and one inside a string is no tag.

    Raises
    ------
    DecodingError, UnreadableCallError
        If a tag holds anything else or nothing, or the text ends inside a value.
    """
    decoder = Decoder(text)
    calls: list[ToolCall] = []
    position = text.find(TAG)
    while position >= 0:
        position = decoder.skip(position + len(TAG))
        first = True
        while first or not _tag_ends(text, position):
            value, position = _value(decoder, position)
            calls += _calls_of(value)
            position = decoder.skip(position)
            first = False
        position = text.find(TAG, position)
    return calls


def marked_calls(text: str) -> list[ToolCall]:
    """Read what stands behind each `[TOOL_CALLS]`: a JSON value, `name{...}` or `name[ARGS]{...}`.

    Raises
    ------
    DecodingError, UnreadableCallError
        If there is anything else, or the text ends inside a value.
    """
    decoder = Decoder(text)
    calls: list[ToolCall] = []
    marker = _MARKERS.search(text)
    while marker:
        start = decoder.skip(marker.end())
        named = _MARKED_NAME.match(text, start)
        value, end = _value(decoder, named.end() if named else start)
        calls += [_named_call(named.group(1), value)] if named else _calls_of(value)
        marker = _MARKERS.match(text, decoder.skip(end))
        if not marker and not _NOTHING_LEFT.match(text, end):
            raise MalformedError("something other than a call follows a call", end)
    return calls


def has_addressed_call(text: str) -> bool:
    """Tell whether a harmony reply holds a call: a header with `to=functions.NAME`."""
    return bool(_addressed(text))


def addressed_calls(text: str) -> list[ToolCall]:
    """Read the harmony calls of a reply in order: the name from the header, the arguments behind it.

    Raises
    ------
    DecodingError, UnreadableCallError
        If a message is no object or holds more, or the text ends inside it.
    """
    decoder = Decoder(text)
    calls: list[ToolCall] = []
    behind = 0
    for name, start in _addressed(text):
        if start < behind:
            # a header quoted in the arguments of the call before
            continue
        value, end = _value(decoder, decoder.skip(start))
        behind = decoder.skip(end)
        if behind < len(text) and not text.startswith("<|", behind):
            raise MalformedError("something follows the arguments of a call", behind)
        calls.append(_named_call(name, value))
    return calls


def _addressed(text: str) -> list[tuple[str, int]]:
    """Find each header that addresses a function: the function's name and where its message starts."""
    found: list[tuple[str, int]] = []
    header: int | None = 0 if _HARMONY_START.match(text) else None
    for token in _HARMONY_TOKEN.finditer(text):
        if token.group(1) == "message" and header is not None:
            address = _ADDRESS.search(text[header : token.start()])
            if address:
                found.append((address.group(1), token.end()))
            header = None
        elif token.group(1) == "start" or (token.group(1) == "channel" and header is None):
            header = token.end()
        elif token.group(1) != "channel":
            header = None
    return found


def _tag_ends(text: str, position: int) -> bool:
    """Tell whether the values behind an opening tag end here."""
    if text.startswith((_CLOSING_TAG, TAG), position):
        return True
    return bool(_NOTHING_LEFT.match(text, position))


def _value(decoder: Decoder, position: int) -> tuple[Any, int]:
    """Decode the value that is due; a text that ends before it holds none, so it is not cut inside one."""
    if position == len(decoder.text):
        raise MalformedError("nothing follows the mark of a call", position)
    return decoder.decode(position)


def _calls_of(value: Any) -> list[ToolCall]:
    if isinstance(value, list):
        calls = read_calls(value)
    else:
        call = read_call(value)
        calls = None if call is None else [call]
    if calls is None:
        raise UnreadableCallError(f"What is marked as a call is {shown(value)}, which is none.")
    return calls


def _named_call(name: str, value: Any) -> ToolCall:
    name = name.strip()
    if not name or not isinstance(value, dict):
        raise UnreadableCallError(f"The arguments of {shown(name)} are {shown(value)}, not an object.")
    return ToolCall(name=name, arguments=read_arguments(value, name))
