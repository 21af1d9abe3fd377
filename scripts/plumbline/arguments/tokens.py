"""What counts the tokens of a run's inputs (C-D18), and counts that are made once."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.config.arguments import Arguments
from plumbline.config.models import Model
from plumbline.config.tokenizers import tokenizer_source
from plumbline.models.tokens import TokenCounter, load_counter

__all__ = ["CountedOnce", "TokenCounter", "token_counter"]


def token_counter(arguments: Arguments, models: Mapping[str, Model]) -> TokenCounter:
    """Load what counts the tokens of the run's inputs.

    Raises
    ------
    UserError
        If it cannot be loaded; says what to do.
    """
    return CountedOnce(load_counter(tokenizer_source(arguments, models)))


_MOST_CHARACTERS = 20_000_000


class CountedOnce:
    """A counter that remembers what it counted: the texts of a state recur in all its inputs.

    Parameters
    ----------
    counter
        What counts.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._counts: dict[str, int] = {}
        self._characters = 0

    @property
    def name(self) -> str:
        """Which tokenizer it is."""
        return self._counter.name

    def count(self, text: str) -> int:
        """Give the number of tokens of a text."""
        if text not in self._counts:
            if self._characters > _MOST_CHARACTERS:
                self._counts.clear()
                self._characters = 0
            self._characters += len(text)
            self._counts[text] = self._counter.count(text)
        return self._counts[text]
