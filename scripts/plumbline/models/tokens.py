"""Counting tokens without a server: by a model's own tokenizer, whose name says which it is (C-D18)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Protocol

from plumbline.records import UserError

_SURROGATE = re.compile("[\ud800-\udfff]")
_PIECE = 4000
_SAFE_COUNT = 2000


class TokenCounter(Protocol):
    """What counts the tokens of a text; `name` goes into files beside every count."""

    @property
    def name(self) -> str:
        """Which tokenizer it is."""
        ...

    def count(self, text: str) -> int:
        """Give the number of tokens of a text, without those that open a sequence or end it."""
        ...


class TokenizerFile:
    """A `tokenizer.json`, or the tokenizer of a model that Hugging Face knows.

    Parameters
    ----------
    source
        Path of the file, or the model's name; a name is looked up on the hub, unless its cache holds it.

    Raises
    ------
    UserError
        If there is no such file or name, or it is no tokenizer.
    """

    def __init__(self, source: str) -> None:
        # takes a while to load, which jobs that count nothing need not wait for
        from tokenizers import Tokenizer

        self.name = source
        is_file = source.endswith(".json")
        try:
            load = Tokenizer.from_file if is_file else Tokenizer.from_pretrained
            self._tokenizer: Any = load(source)
        except Exception as error:  # the library raises Exception itself
            cure = (
                "Give a tokenizer.json as Hugging Face's tokenizers write it."
                if is_file
                else "Download its tokenizer.json and give the file's path, or `characters`."
            )
            raise UserError(
                f"arguments.ladder.tokenizer: {source} cannot be loaded ({error}). {cure}"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def count(self, text: str) -> int:
        """Give the number of tokens of a text."""
        return len(self._tokenizer.encode(_sendable(text), add_special_tokens=False).ids)


class GgufTokenizer:
    """The tokenizer inside a GGUF file.

    Parameters
    ----------
    file
        The weights; only their vocabulary is used.

    Raises
    ------
    UserError
        If the file is missing or holds no tokenizer that can be read.
    """

    def __init__(self, file: Path) -> None:
        import openvino_genai as genai  # as above

        self.name = file.name
        if not file.exists():
            raise UserError(f"arguments.ladder.tokenizer: {file} is missing.")
        try:
            self._tokenizer: Any = genai.Tokenizer(str(file), INFERENCE_NUM_THREADS=1)
        except Exception as error:  # the library raises RuntimeError and others
            raise UserError(
                f"arguments.ladder.tokenizer: {file} holds no tokenizer that can be read ({error}). "
                "Give the model's tokenizer.json."
            ) from None

    def count(self, text: str) -> int:
        """Give the number of tokens of a text."""
        return sum(self._count(piece) for piece in _pieces(_sendable(text), _PIECE))

    def _count(self, text: str) -> int:
        found = int(self._tokenizer.encode(text, add_special_tokens=False).input_ids.shape[1])
        # the library cuts a text at the model's context, so a long piece is counted by halves
        if found >= _SAFE_COUNT and len(text) > 1:
            half = len(text) // 2
            return self._count(text[:half]) + self._count(text[half:])
        return found


class CharacterCounter:
    """No tokenizer: a quarter of the characters, for runs whose judges read nothing."""

    name = "characters/4"

    def count(self, text: str) -> int:
        """Give a quarter of the number of characters, rounded up."""
        return -(-len(text) // 4)


def load_counter(source: str) -> TokenCounter:
    """Load what counts tokens.

    Parameters
    ----------
    source
        Path of a `tokenizer.json` or GGUF file, a model's name on Hugging Face, or ``characters``.

    Raises
    ------
    UserError
        If it cannot be loaded.
    """
    if source == "characters":
        return CharacterCounter()
    return GgufTokenizer(Path(source)) if source.endswith(".gguf") else TokenizerFile(source)


def _sendable(text: str) -> str:
    """Write a text as a server gets it: lone surrogates are U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def _pieces(text: str, size: int) -> list[str]:
    """Part a text before white space, where tokenizers part it too; a run without any is cut."""
    pieces: list[str] = []
    start = 0
    while len(text) - start > size:
        end = max(text.rfind(mark, start + 1, start + size) for mark in (" ", "\n"))
        end = end if end > start else start + size
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]
