"""The list of what is built names every item of both papers, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plumbline.tables.registry import CORPUS_TABLES, TABLES

ROOT = Path(__file__).parent.parent
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split(" | ")]
    for line in (ROOT / "docs" / "coverage.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| item ")
]
ITEMS = [*(f"A{number}" for number in range(1, 58)), *(f"D{number}" for number in range(1, 52))]
NAMES = r"`([a-z0-9_]+)`"


@pytest.mark.parametrize("item", ITEMS)
def test_every_item_has_one_row(item: str) -> None:
    assert [row[0] for row in ROWS].count(item) == 1


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:30]}")
def test_a_row_names_tests_tables_and_files_that_there_are(row: list[str]) -> None:
    assert len(row) == 5
    files = re.findall(r"`((?:tests|benchmarks|docs)/[^`]*)`", " ".join(row))
    files += re.findall(r"--configfile (config/\S+)`", row[3])
    assert [name for name in files if not (ROOT / name).exists()] == []
    told = re.findall(r"\b(?:tables?|figures?) (`[a-z0-9_]+`(?:(?:,| and| or) `[a-z0-9_]+`)*)", row[2])
    named = {name for part in told for name in re.findall(NAMES, part)}
    assert named - {*TABLES, *CORPUS_TABLES} - SEPARATE == set()


SEPARATE = {"claims", "synthesis_yield"}
"""Tables that no block asks for."""

OF_A_RUN = ("arguments", "corpus", "study")
"""Targets that are no block."""


def test_every_row_with_a_target_of_a_block_names_one_that_the_file_has() -> None:
    for row in ROWS:
        for target, file in re.findall(r"`snakemake ([a-z0-9_]+) --configfile (config/\S+)`", row[3]):
            text = (ROOT / file).read_text("utf-8")
            assert target in OF_A_RUN or re.search(rf"^\s+{target}:", text, re.MULTILINE), (row[0], target)
