"""What reading a source gives: records, and an account of everything that did not become one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from plumbline.records import Record


@dataclass
class Reading:
    """Records of one source and what was met on the way.

    Attributes
    ----------
    records
        Every record that could be converted.
    skipped
        (id, reason) of each entry that did not become a record.
    mismatches
        (id, label, computed) where the source's topology label contradicts the edges.
    notes
        Anything else a user should know, one line each.
    """

    records: list[Record] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    mismatches: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self, shown: int = 5) -> list[str]:
        """Give the account as text: counts first, then at most `shown` examples of each kind."""
        lines = [f"{len(self.records)} records"]
        lines += [
            f"  {name}: {count}" for name, count in _counted([record.topology for record in self.records])
        ]
        if self.skipped:
            lines.append(f"{len(self.skipped)} entries left out")
            lines += [f"  {name}: {reason}" for name, reason in self.skipped[:shown]]
            lines += _rest(len(self.skipped), shown)
        if self.mismatches:
            lines.append(f"{len(self.mismatches)} topology labels contradict the edges")
            lines += [
                f"  {name}: labelled {label}, the edges say {computed}"
                for name, label, computed in self.mismatches[:shown]
            ]
            lines += _rest(len(self.mismatches), shown)
        return lines + self.notes


def _counted(values: Sequence[str]) -> list[tuple[str, int]]:
    return sorted(Counter(values).items(), key=lambda entry: (-entry[1], entry[0]))


def _rest(count: int, shown: int) -> list[str]:
    return [f"  and {count - shown} more"] if count > shown else []
