"""From the files of the stages to records, and how much came through each stage (A2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from plumbline.config.corpus import SynthesisedSource
from plumbline.corpora.reading import Reading
from plumbline.corpora.synthesis.pseudocode import read_pseudocode
from plumbline.corpora.synthesis.signatures import read_signature
from plumbline.corpora.synthesis.stages import NAMES
from plumbline.corpora.synthesis.traces import record_of
from plumbline.corpora.synthesis.works import StageResult, Work, works_of
from plumbline.records import read_json_lines


def load_stages(files: Sequence[Path]) -> dict[str, dict[str, StageResult]]:
    """Read files of stages: results by record and stage."""
    found: dict[str, dict[str, StageResult]] = {}
    for file in files:
        for result in read_json_lines(file, StageResult):
            found.setdefault(result.work_id, {})[result.stage] = result
    return found


def values_of(results: Mapping[str, StageResult]) -> dict[str, Any]:
    """Give the checked values of a record's stages; stages that did not come through are left out."""
    return {name: result.value for name, result in results.items() if result.status == "ok"}


def read_synthesised(name: str, source: SynthesisedSource, files: Sequence[Path]) -> Reading:
    """Put the records of a synthesis together; those that a stage gave up are counted with the reason."""
    stages = load_stages(files)
    reading = Reading()
    for domain in source.domains:
        for work in works_of(name, source, domain):
            values = values_of(stages.get(work.work_id, {}))
            lost = next((stage for stage in NAMES if stage not in values), None)
            if lost is None:
                reading.records.append(_record(work, values, name))
            else:
                result = stages.get(work.work_id, {}).get(lost)
                reason = (result.detail or result.status) if result else "not written yet"
                reading.skipped.append((work.work_id, f"{lost}: {reason}"))
    return reading


def yield_frame(results: Sequence[StageResult]) -> pd.DataFrame:
    """Count what came through each stage, and why the rest did not.

    Parameters
    ----------
    results
        Results of all stages of a source.

    Returns
    -------
    pandas.DataFrame
        For each stage one row `all` with `begun`, `ok`, `first` (ok at the first attempt), `yield_pct` (of
        those begun at this stage), and one row a code with `answers` (answers that had it) and `records`
        (records that it was the last word on: given up, or without an answer).
    """
    rows: list[dict[str, Any]] = []
    for stage in NAMES:
        here = [result for result in results if result.stage == stage]
        begun = [result for result in here if result.attempts]
        passed = [result for result in begun if result.status == "ok"]
        first = sum(result.attempts == 1 for result in passed)
        share = 100 * len(passed) / len(begun) if begun else None
        rows.append(
            {
                "stage": stage,
                "reason": "all",
                "begun": len(begun),
                "ok": len(passed),
                "first": first,
                "yield_pct": share,
                "answers": sum(result.attempts for result in begun),
                "records": len(begun) - len(passed),
            }
        )
        answers = Counter(code for result in here for code in {(p.attempt, p.code) for p in result.problems})
        by_code = Counter(code for _, code in answers.elements())
        lost = Counter(_last_word(result) for result in begun if result.status != "ok")
        for code in sorted({*by_code, *lost}, key=lambda code: (-lost[code], -by_code[code], code)):
            rows.append({"stage": stage, "reason": code, "answers": by_code[code], "records": lost[code]})
    names = ["stage", "reason", "begun", "ok", "first", "yield_pct", "answers", "records"]
    return pd.DataFrame(rows, columns=names)


def _last_word(result: StageResult) -> str:
    """Give why a record was lost: the first problem of its last answer, or the status of a missing one."""
    if result.status != "given_up":
        return result.status
    last = [problem.code for problem in result.problems if problem.attempt == result.attempts]
    return last[0] if last else result.status


def _record(work: Work, values: Mapping[str, Any], name: str) -> Any:
    signatures = [read_signature(entry["signature"]) for entry in values["tools"]["functions"]]
    tools = {signature.name: signature for signature in signatures}
    calls, _ = read_pseudocode(values["pseudocode"]["code"], tools)
    return record_of(work, calls, values, source=name)
