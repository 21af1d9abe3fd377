"""How much of a synthesis came through each stage (A2)."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.corpora.synthesis.reading import yield_frame
from plumbline.corpora.synthesis.works import StageResult
from plumbline.tables.result import Column, TableResult
from plumbline.tables.spec import CORPUS, TableSpec

YIELD = TableSpec(
    name="synthesis_yield",
    title="What came through each stage of the synthesis",
    about="records that each stage of a synthesis passed, and why it lost the others",
    item="A2, A5",
    question=CORPUS,
    kind="table",
    by_condition=False,
    builder="synthesis:yield_table",
)
"""One for each synthesised source."""


def yield_table(results: Sequence[StageResult], source: str) -> TableResult:
    """Count by stage and reason; see `yield_frame`."""
    frame = yield_frame(results)
    frame["yield_pct"] = frame["yield_pct"].astype(float)
    detail = frame["reason"] != "all"
    empty = frame["yield_pct"].isna() & ~detail
    frame["reason_of_gap"] = None
    frame.loc[detail, "reason_of_gap"] = "stands in the stage's first row"
    frame.loc[empty, "reason_of_gap"] = "no record came to this stage"
    for name in ("begun", "ok", "first", "yield_pct"):
        frame[f"{name}_reason"] = frame["reason_of_gap"]
    frame = frame.drop(columns="reason_of_gap")
    # a row a code: the page shows a dash with its reason, and `reason` names the code, so it is renamed
    frame = frame.rename(columns={"reason": "cause"})
    columns = {
        "stage": Column("Stage"),
        "cause": Column("Cause", help="A finding of the stage's check, or the status of a missing answer."),
        "begun": Column("Begun", digits=0, help="Records that the stage was asked about."),
        "ok": Column("Passed", digits=0),
        "first": Column("At once", digits=0, help="Passed with the first answer."),
        "yield_pct": Column("Yield", "%", 1, "Passed, of those begun at this stage."),
        "answers": Column("Answers", digits=0, help="Answers that were given; of a cause: that had it."),
        "records": Column("Lost", digits=0, help="Records that were lost here; of a cause: by it."),
    }
    begun = {result.work_id for result in results}
    done = {result.work_id for result in results if result.stage == "trace" and result.status == "ok"}
    note = f"{source}: {len(done):,} of {len(begun):,} records that were begun came through all stages."
    return TableResult(frame, columns, (note,))
