"""The authors' released plans and verdicts: which row is what, of which tier, generator and judge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.corpora.released_rows import KNOWN_FIELDS, PLAN_FIELDS, data_files, label_of, rows_of
from plumbline.records import UserError
from plumbline.records.model import Tier

Row = dict[str, Any]

_TIER_FIELDS = ("difficulty", "tier")
_GENERATOR_FIELDS = ("generator", "generator_model", "model")
_JUDGE_FIELDS = ("judge", "judge_model")
_VERDICT_FIELDS = ("judge_response", "judge_response_no_gt")
_OTHER_FIELDS = frozenset(
    {
        "per_metric_comparison",
        "per_metric_comparison_no_gt",
        "overall_llm_alignment_percentage",
        "overall_llm_alignment_percentage_no_gt",
        "true_expected_responses",
    }
)
_TIERS: tuple[Tier, ...] = ("easy", "medium", "hard")
_FIELDS = KNOWN_FIELDS | PLAN_FIELDS | _OTHER_FIELDS
_FIELDS |= {*_TIER_FIELDS, *_GENERATOR_FIELDS, *_JUDGE_FIELDS}


@dataclass(frozen=True, slots=True)
class Placed:
    """A row of a plan or of a judged plan, and where it belongs; `judge` is None for a plan."""

    row: Row
    record_id: str
    tier: Tier
    generator: str
    judge: str | None
    file: str

    @property
    def is_corrupted(self) -> bool:
        """Whether the judge saw another record's calls (A25)."""
        return "corrupted_expected_responses" in self.row


@dataclass
class Account:
    """What was met in the files besides the rows that were used; `empty` counts null rows by file."""

    empty: Counter[str] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    unplaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    records: int = 0

    def lines(self) -> list[str]:
        """Give the account, a line each."""
        found = [
            f"{file}: {count} rows are null (items that failed)" for file, count in sorted(self.empty.items())
        ]
        found += [
            f"{file}: {count} rows left out, {reason}"
            for (file, reason), count in sorted(self.unplaced.items())
        ]
        found += [
            f"{file}: unknown field `{name}` in {count} rows"
            for (file, name), count in sorted(self.unknown.items())
        ]
        return found


class Names:
    """Finds slugs in fields and file names, whatever their spelling.

    Parameters
    ----------
    slugs
        Names of the run.
    aliases
        Further spellings by slug.
    """

    def __init__(self, slugs: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> None:
        spelled = [(slug, slug) for slug in slugs]
        spelled += [(_spelled(alias), slug) for slug in slugs for alias in aliases.get(slug, ())]
        # the longest first, so that a name that begins another does not take its place
        self._spelled = sorted(spelled, key=lambda pair: -len(pair[0]))

    def find(self, text: str) -> str | None:
        """Give the slug whose longest spelling stands in a text as whole words, or None."""
        padded = f"_{_spelled(text)}_"
        return next((slug for words, slug in self._spelled if f"_{words}_" in padded), None)

    def cut_judge(self, text: str) -> tuple[str | None, str]:
        """Find the slug behind the word `judge` or `judges`; give it and the text without both."""
        padded = f"_{_spelled(text)}_"
        for words, slug in self._spelled:
            for head in ("judge", "judges"):
                if f"_{head}_{words}_" in padded:
                    return slug, padded.replace(f"_{head}_{words}_", "_", 1).strip("_")
        return None, padded.strip("_")


def released_files(folder: Path) -> list[Path]:
    """List the data files of a folder.

    Raises
    ------
    UserError
        If it holds none.
    """
    paths = data_files(folder)
    if not paths:
        raise UserError(
            f"{folder} holds no .jsonl or .json file; released.folder names the folder of the released data."
        )
    return paths


def placed_rows(
    path: Path, folder: Path, generators: Names, judges: Names, account: Account
) -> Iterator[Placed]:
    """Give the plans and judged plans of a file; everything else is counted in `account`.

    Tier, generator and judge are those that the row states, else those that its path names: the judge stands
    behind the word `judge`.
    """
    name = path.relative_to(folder).as_posix()
    judge_of_path, rest = judges.cut_judge(name.rpartition(".")[0])
    generator_of_path = generators.find(rest)
    tier_of_path = next((tier for tier in _TIERS if f"_{tier}_" in f"_{rest}_"), None)
    for number, row in rows_of(path):
        if all(value is None for value in row.values()):
            account.empty[name] += 1
            continue
        if not PLAN_FIELDS & row.keys():
            account.records += 1
            continue
        account.unknown.update((name, key) for key in row.keys() - _FIELDS)
        judged = any(key in row for key in _VERDICT_FIELDS)
        judge = _stated(row, _JUDGE_FIELDS, judges) or judge_of_path if judged else None
        generator = _stated(row, _GENERATOR_FIELDS, generators) or generator_of_path
        tier = _tier(row) or tier_of_path
        identifier = record_id(row)
        missing = {
            "the id is missing": identifier is None,
            "neither the row nor the path names a tier": tier is None,
            "neither the row nor the path names a generator of the run": generator is None,
            "neither the row nor the path names a judge of the run": judged and judge is None,
        }
        reason = next((words for words, applies in missing.items() if applies), None)
        if reason is not None:
            account.unplaced[name, reason] += 1
            continue
        assert identifier and tier and generator
        yield Placed(row, identifier, tier, generator, judge, f"{name}:{number}")


def record_id(row: Mapping[str, Any]) -> str | None:
    """Give a row's id as the records have it: the topology before a raw id of 32 hexadecimal digits."""
    identifier = row.get("id")
    if not isinstance(identifier, str) or not identifier:
        return None
    label = label_of(row)
    return f"{label}_{identifier}" if label and re.fullmatch(r"[0-9a-f]{32}", identifier) else identifier


def _stated(row: Row, fields: Sequence[str], names: Names) -> str | None:
    for key in fields:
        if isinstance(row.get(key), str) and (slug := names.find(row[key])) is not None:
            return slug
    return None


def _tier(row: Row) -> Tier | None:
    said = {row[key].casefold() for key in _TIER_FIELDS if isinstance(row.get(key), str)}
    return next((tier for tier in _TIERS if tier in said), None)


def _spelled(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
