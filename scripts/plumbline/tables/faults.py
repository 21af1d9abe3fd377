"""Which seeded faults a judge notices: plans of `perturb` generators by kind of fault."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from plumbline.config.settings import FAULTS
from plumbline.records import METRICS
from plumbline.tables.alignment import NAMES
from plumbline.tables.drawing import heat_map
from plumbline.tables.grid import REASONS, reasons
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.notes import counted
from plumbline.tables.result import Column, TableResult

MEANS = [f"mean_{metric}" for metric in METRICS]


def fault_table(inputs: Inputs) -> TableResult:
    """Count what each judge says of each kind of fault.

    Returns
    -------
    TableResult
        One row per condition, judge and kind: `condition`, `judge`, `fault`, `n` (ok verdicts), `asked`,
        `mean_<metric>` (verdicts, 0 to 1), `marked` (share with any metric below 1), `lowered` (verdicts on
        plans of which the program lowered a metric), `detected` (share of those in which the judge lowered
        at least one of the same metrics), `false_alarm` (`marked` of the kind `none`), `reason`.
    """
    rows = _judged(inputs)
    kinds = [kind for kind in FAULTS if kind in set(inputs.block_plans["fault"].dropna())]
    found = []
    for condition in inputs.conditions:
        for judge in inputs.judges:
            of_judge = rows[(rows["condition"] == condition) & (rows["judge"] == judge)]
            found += [
                {"condition": condition, "judge": judge, "fault": kind, **_detection(of_judge, kind)}
                for kind in kinds
            ]
    measured = ["n", "asked", *MEANS, "marked", "lowered", "detected", "false_alarm"]
    frame = pd.DataFrame(found, columns=["condition", "judge", "fault", *measured, "reason"])
    shares = [*MEANS, "marked", "detected", "false_alarm"]
    frame[shares] = frame[shares].astype(float)
    frame["detected_reason"] = reasons(
        (frame["n"] > 0) & (frame["lowered"] == 0), "the program lowers no metric for this fault"
    )
    frame["false_alarm_reason"] = reasons(frame["fault"] != "none", "only for plans without a fault")
    return TableResult(frame, _columns(), tuple(_notes(rows, kinds)))


def fault_figure(inputs: Inputs) -> Figure:
    """Draw the share of faults that each judge notices, for the shown condition, with its false alarms."""
    frame = fault_table(inputs).frame
    frame = frame[frame["condition"] == inputs.conditions[0]]
    value = frame["detected"].where(frame["fault"] != "none", frame["false_alarm"])
    names = frame["fault"].replace("none", "none (false alarms)")
    table = pd.DataFrame({"judge": frame["judge"], "fault": names, "value": 100 * value})
    order = list(dict.fromkeys(names))
    matrix = table.pivot(index="judge", columns="fault", values="value").reindex(inputs.judges, columns=order)
    title = f"Faults noticed, {inputs.conditions[0]}"
    return heat_map(matrix, title=title, label="share (%)", value_format=".0f", vmin=0, vmax=100)


def _judged(inputs: Inputs) -> pd.DataFrame:
    """Verdicts asked for on plans with a seeded fault, with what was lowered by whom."""
    rows = inputs.block_verdicts
    rows = rows[rows["fault"].notna() & (rows["status"] != "not_asked")]
    by_judge = rows[VERDICTS] < 1
    by_program = rows[REFERENCES] < 1
    both = by_judge.to_numpy() & by_program.to_numpy()
    return rows.assign(
        marked=by_judge.any(axis=1), lowered=by_program.any(axis=1), detected=np.any(both, axis=1)
    )


def _detection(rows: pd.DataFrame, kind: str) -> dict[str, object]:
    asked = rows[rows["fault"] == kind]
    ok = asked[asked["status"] == "ok"]
    lowered = ok[ok["lowered"]]
    marked = ok["marked"].mean() if len(ok) else None
    return {
        "n": len(ok),
        "asked": len(asked),
        **{name: ok[verdict].mean() for name, verdict in zip(MEANS, VERDICTS, strict=True)},
        "marked": marked,
        "lowered": len(lowered),
        "detected": lowered["detected"].mean() if len(lowered) else None,
        "false_alarm": marked if kind == "none" else None,
        "reason": None if len(ok) else REASONS["empty"],
    }


def _columns() -> dict[str, Column]:
    columns = {name: NAMES[name] for name in ("condition", "judge")}
    columns["fault"] = Column("Fault", help="What was done to the expected calls.")
    columns["n"] = Column("N", digits=0, help="Ok verdicts.")
    columns["asked"] = Column("Asked", digits=0, help="Verdicts asked for.")
    for name, metric in zip(MEANS, METRICS, strict=True):
        columns[name] = Column(f"{metric.replace('_', ' ')}, mean", digits=2, help="Mean verdict, 0 to 1.")
    columns["marked"] = Column("Marked", digits=2, help="Share with any metric below 1.")
    columns["lowered"] = Column("Lowered", digits=0, help="Verdicts where the program lowered a metric.")
    columns["detected"] = Column(
        "Detected", digits=2, help="Share of these in which the judge lowered one of the same metrics."
    )
    columns["false_alarm"] = Column("False alarms", digits=2, help="Marked, although nothing was changed.")
    return columns


def _notes(rows: pd.DataFrame, kinds: list[str]) -> list[str]:
    if not kinds:
        return ["No plan of this block has a seeded fault: none of its generators is `perturb`."]
    lost = rows[rows["status"] != "ok"]["status"]
    notes = [f"Rests on {len(rows) - len(lost):,} of {len(rows):,} verdicts asked for on plans of `perturb`."]
    return [*notes, f"Lost verdicts: {counted(lost)}."] if len(lost) else notes
