"""What annotators send back, CSV or JSON, checked against the sample."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from plumbline.records import METRICS
from plumbline.study.consensus import together
from plumbline.study.files import AGREES
from plumbline.study.items import StudyItem
from plumbline.study.reading import read_annotations
from plumbline.study.sheet import COLUMNS, READ_ONLY, guarded, sheet_csv, shown_digest, unguarded

Make = Callable[..., StudyItem]


def rows_of(items: list[StudyItem]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet_csv(items), newline="")))


def write_csv(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*COLUMNS, *READ_ONLY])
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_json(path: Path, annotator: str, entries: list[object]) -> Path:
    lines = ",\n".join(map(json.dumps, entries))
    path.write_text(
        f'{{"annotator": {json.dumps(annotator)},\n"sample": "x",\n"annotations": [\n{lines}\n]}}\n'
    )
    return path


def entry(item: StudyItem, *marks: object, **changes: object) -> dict[str, object]:
    agree = dict(zip(METRICS, marks, strict=True))
    about = {"id": item.id, "topology": item.topology, "shown": shown_digest(item), "prog": item.scores}
    return {**about, "agree": agree, "reason": {}, "notes": "", **changes}


def test_a_filled_in_csv_sheet_is_read_back(an_item: Make, tmp_path: Path) -> None:
    items = [an_item("a"), an_item("b")]
    rows = rows_of(items)
    rows[0] |= dict(zip(AGREES, ("1", "0", "1", ""), strict=True))
    rows[0]["reason_parameter_structure"] = "the key, is\nallowed"
    found = read_annotations(write_csv(tmp_path / "ana.csv", rows), {"a", "b"}, {i.id: i for i in items})
    assert found.problems == ()
    assert found.annotator == "ana"
    assert found.frame.loc[0, AGREES].tolist()[:3] == [1, 0, 1]
    assert np.isnan(found.frame[AGREES].to_numpy(float)).sum() == 5
    assert found.frame.loc[0, "reason_parameter_structure"] == "the key, is\nallowed"
    assert found.notes == ["ana: 1 of 2 records annotated, 3 scores; 5 left blank."]


def test_what_the_sample_does_not_hold_is_told_with_line_column_and_remedy(
    an_item: Make, tmp_path: Path
) -> None:
    items = [an_item(name) for name in "abcd"]
    rows = rows_of(items)
    rows[0]["prog_sequence"] = "0.5"
    rows[1]["shown"] = "0123456789ab"
    rows[2]["agree_sequence"] = "2"
    rows[3] = rows[3] | {"id": "e"}
    path = write_csv(tmp_path / "x.csv", rows)
    found = read_annotations(path, set("abcde"), {item.id: item for item in items})
    assert found.frame.empty
    told = [problem.removeprefix(f"{path}") for problem in found.problems]
    assert told[0].startswith(", line 2, column `prog_sequence`: `0.5` is not the sample's score, 0.6667")
    assert told[1].startswith(", line 3, column `shown`: the sample holds another plan")
    assert told[2].startswith(", line 4, column `agree_sequence`: `2` is not right; it holds 1 (agree)")
    assert told[3].startswith(", line 5, column `id`: `e` is not in the sample")
    assert "human.sheet: own" in told[3]
    assert told[4].startswith(": lacks 1 records of the sample (d)")


def test_a_json_file_is_read_with_the_lines_of_its_entries(an_item: Make, tmp_path: Path) -> None:
    items = [an_item(name) for name in "abc"]
    path = write_json(
        tmp_path / "x.json",
        'Ana "annotations": [',
        [
            entry(items[0], 1, 0, None, 1, reason={"parameter_structure": "why"}),
            entry(items[1], 1, True, 1, "no"),
            "c",
        ],
    )
    found = read_annotations(path, set("abc"), {item.id: item for item in items})
    assert found.annotator == 'Ana "annotations": ['
    assert found.frame["record_id"].tolist() == ["a"]
    assert found.frame.loc[0, "reason_parameter_structure"] == "why"
    told = [problem.removeprefix(f"{path}, ") for problem in found.problems]
    assert told[0].startswith("line 5, column `agree_parameter_structure`: `true` is not right")
    assert told[1].startswith("line 5, column `agree_query_coverage`: `no` is not right")
    assert told[2].startswith("line 6: is no object")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "line 1: is not JSON"),
        ("[]", "has no list `annotations`"),
        ('{"annotations": []}', "no annotated record"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_cannot_be_used_says_why(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    found = read_annotations(path, {"a"})
    assert found.frame.empty
    assert len(found.problems) == 1
    assert words in found.problems[0]


@pytest.mark.parametrize("cell", ["=1+1", "+a", "-a", "@a", "\tx", "\rx"])
def test_no_cell_begins_a_formula(an_item: Make, tmp_path: Path, cell: str) -> None:
    item = an_item(f"{cell}id", query=f"{cell} please")
    row = rows_of([item])[0]
    assert (row["id"], row["query"]) == (f"'{cell}id", f"'{cell} please")
    assert unguarded(guarded(cell)) == cell
    path = write_csv(tmp_path / "x.csv", [row])
    assert read_annotations(path, {item.id}, {item.id: item}).frame["record_id"].tolist() == [item.id]


def test_one_file_of_each_annotator_and_one_annotator_in_each_file(an_item: Make, tmp_path: Path) -> None:
    item = an_item("a")
    first = write_json(tmp_path / "1.json", "Ana", [entry(item, 1, 1, 1, 1)])
    second = write_json(tmp_path / "2.json", "Ana", [entry(item, 0, 0, 0, 0)])
    study = together([read_annotations(path, {"a"}, {"a": item}) for path in (first, second)])
    assert study.annotators == ["Ana"]
    assert study.marks.tolist() == [[[1, 1, 1, 1]]]
    assert "2.json: is left out, because `Ana` is the annotator of" in study.notes[-1]
    rows = [rows_of([an_item(name)])[0] | {"annotator": name} for name in "ab"]
    mixed = read_annotations(write_csv(tmp_path / "x.csv", rows), {"a", "b"})
    assert "names several annotators (a, b)" in mixed.problems[-1]
    assert mixed.frame.empty


@pytest.mark.parametrize(("ties", "tie"), [("agree", 1), ("disagree", 0), ("left_out", None)])
def test_the_majority_counts_and_ties_become_what_the_setting_says(
    an_item: Make, tmp_path: Path, ties: str, tie: float | None
) -> None:
    item = an_item("a")
    marks = {"ana": (1, 1, 0, None), "bob": (1, 0, 0, None), "cyd": (0, None, 1, None)}
    files = [
        write_json(tmp_path / f"{name}.json", name, [entry(item, *given)]) for name, given in marks.items()
    ]
    study = together([read_annotations(file, {"a"}, {"a": item}) for file in files])
    found = [None if np.isnan(mark) else mark for mark in study.consensus(ties)[0]]  # type: ignore[arg-type]
    assert found == [1, tie, 0, None]
    assert study.tied.tolist() == [[False, True, False, False]]


def test_a_line_about_another_plan_than_the_first_annotators_is_left_out_and_told(
    an_item: Make, tmp_path: Path
) -> None:
    files = [
        write_json(tmp_path / f"{n}.json", f"n{n}", [entry(an_item("a", sequence=score), 1, 1, 1, 1)])
        for n, score in enumerate((1, 0.5))
    ]
    study = together([read_annotations(file, {"a"}) for file in files])
    assert np.isnan(study.marks[1]).all()
    assert "other scores were annotated than in the files before it: a" in study.notes[-1]
