"""What building a data set of argument judging met on the way: nothing is left out without a count."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Account:
    """Counts of what was kept and left out, with examples, and notes for readers of the results.

    Attributes
    ----------
    counts
        How many of each kind were read or kept, in the order in which they were first counted.
    dropped
        How many were left out, by reason.
    examples
        Up to five of those, by reason.
    notes
        Anything else a reader must know, one line each; that a data set stands in for another, for instance.
    """

    counts: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def count(self, what: str, number: int = 1) -> None:
        """Count something that was read or kept."""
        self.counts[what] += number

    def drop(self, reason: str, where: str) -> None:
        """Count something that was left out; `where` names it."""
        self.dropped[reason] += 1
        shown = self.examples.setdefault(reason, [])
        if len(shown) < 5:
            shown.append(where)

    def lines(self) -> list[str]:
        """Give the account as text: what was kept, what was left out and why, with examples, the notes."""
        lines = [f"{number} {what}" for what, number in self.counts.items()]
        for reason, number in self.dropped.most_common():
            lines.append(f"left out: {number}, {reason}")
            lines += [f"  {where}" for where in self.examples[reason]]
            if number > len(self.examples[reason]):
                lines.append(f"  and {number - len(self.examples[reason])} more")
        return lines + self.notes
