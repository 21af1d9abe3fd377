"""Others' text inside a prompt: what a chat template would take for a turn is escaped."""

from __future__ import annotations

import re

# What chat templates use to end a turn or to begin one: a server reads these as control tokens even inside
# a user's message, so a text that holds them could open the model's own turn.
_CONTROL = re.compile(r"<(?=[|｜/!]|[a-zA-Z_]+>)|\[(?=/?[A-Z_]+\])")


def defused(text: str) -> str:
    r"""Write what chat templates read as control tokens as a JSON escape: ``\u003c|im_end|>``.

    The JSON value that the text stands for stays as it was.
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
