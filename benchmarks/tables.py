"""Seconds and memory of every table and figure at the paper's size: in all 60 s and 4 GB at most.

Each is built once, in this process, from its own `Inputs`, so that none profits from what another worked out:
in a workflow each has a process of its own. Those by condition are built for the first condition. Reading the
frames is not counted. Without `--results` the frames are made up: 57,120 plans, of which 53,608 are ok, and
verdicts of 6 judges under 2 conditions on each.

    python benchmarks/tables.py --results results --json
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from plumbline.config import paths
from plumbline.config.cells import cells_of
from plumbline.config.loading import load_config
from plumbline.config.settings import RunConfig
from plumbline.config.yaml_files import read_yaml
from plumbline.records import TIERS, TOPOLOGIES
from plumbline.tables.collect import RECORD_COLUMNS, collect_verdicts
from plumbline.tables.inputs import REFERENCES, VERDICTS, Inputs
from plumbline.tables.registry import TABLES

CONFIG = Path(__file__).parents[1] / "config" / "rehearsal.yaml"
BLOCK = "main"
RECORDS, OK_PLANS = 3_808, 53_608
LIMIT_S, LIMIT_GB = 60.0, 4.0


def make_plans(config: RunConfig, rng: np.random.Generator) -> pd.DataFrame:
    """Make plans in the layout of `collect_plans`."""
    records = pd.DataFrame({"record_id": [f"r{number:04}" for number in range(RECORDS)]}, dtype="str")
    records["topology"] = pd.Series(np.resize(np.array(TOPOLOGIES), RECORDS), dtype="str")
    cells = pd.MultiIndex.from_product([config.generators, TIERS], names=["generator", "tier"])
    plans = cells.to_frame(index=False).astype("str").merge(records, how="cross")
    count = len(plans)
    ok = np.zeros(count, dtype=bool)
    ok[rng.permutation(count)[:OK_PLANS]] = True
    plans = plans.assign(source="made", domain="made", family=None, fault=None)
    plans = plans.astype({"source": "str", "domain": "str", "family": "str", "fault": "str"})
    plans["plan_status"] = pd.Series(np.where(ok, "ok", "malformed"), dtype="str")
    calls = rng.integers(2, 6, size=count)
    plans["calls"] = pd.Series(calls, dtype="Int64").where(pd.Series(ok))
    plans["query_status"] = pd.Series(np.where(plans["tier"] == "easy", "original", "given"), dtype="str")
    for reference in REFERENCES:
        plans[reference] = np.where(ok, rng.binomial(calls, 0.85) / calls, np.nan)
    strict = plans["reference_parameter_structure"]
    plans["parameter_structure_lenient"] = np.minimum(1, strict + rng.choice([0, 0.1], size=count))
    plans["parameter_structure_schema_aware"] = (strict + plans["parameter_structure_lenient"]) / 2
    plans["extra_key_calls"] = np.where(ok, rng.binomial(calls, 0.1), np.nan)
    return plans


def make_verdicts(config: RunConfig, plans: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Make verdicts in the layout of `collect_verdicts`: one in five marks is another than the score's."""
    judged = plans[["record_id", *RECORD_COLUMNS, "tier", "generator", "plan_status", "fault", *REFERENCES]]
    conditions = config.blocks[BLOCK].conditions
    asked = pd.MultiIndex.from_product([config.judges, conditions], names=["judge", "condition"])
    verdicts = asked.to_frame(index=False).astype("str").assign(replicate=0).merge(judged, how="cross")
    ok: NDArray[np.bool_] = (verdicts["plan_status"] == "ok").to_numpy()
    answered = ok & (rng.random(len(ok)) > 0.01)
    status = np.where(answered, "ok", np.where(ok, "malformed", "not_asked"))
    verdicts["status"] = pd.Series(status, dtype="str")
    for reference, verdict in zip(REFERENCES, VERDICTS, strict=True):
        mark = (verdicts[reference] * 2).round() / 2
        other = rng.choice([0, 0.5, 1], size=len(ok))
        verdicts[verdict] = mark.where(rng.random(len(ok)) > 0.3, other).where(answered)
    status_columns = ["judge", "condition", "replicate", "plan_status", "fault", "status"]
    order = ["record_id", *RECORD_COLUMNS, "tier", "generator", *status_columns, *REFERENCES, *VERDICTS]
    return verdicts[order]


def read_frames(config: RunConfig, root: Path) -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Give plans and verdicts of a finished run, and the seconds of reading its verdict files."""
    plans = pd.read_parquet(paths.scored_plans(config.run, BLOCK, root))
    files = [
        Path(paths.verdicts(config.run, cell.judge, cell.generator, cell.tier, cell.condition, root))
        for cell in cells_of(config, BLOCK)
    ]
    start = time.perf_counter()
    read = collect_verdicts(plans, files)
    took = time.perf_counter() - start
    verdicts = pd.read_parquet(paths.scored_verdicts(config.run, BLOCK, root))
    assert len(read) == len(verdicts), "the frame of verdicts is not that of the verdict files"
    return plans, verdicts, took


def build_all(
    config: RunConfig, plans: pd.DataFrame, verdicts: pd.DataFrame, root: Path | None
) -> dict[str, dict[str, Any]]:
    """Build each; give its seconds, and its rows if it is a table."""
    built: dict[str, dict[str, Any]] = {}
    for name, spec in TABLES.items():
        condition = next(iter(config.blocks[BLOCK].conditions)) if spec.by_condition else None
        start = time.perf_counter()
        result = spec.build(Inputs(config, BLOCK, verdicts, plans, condition, root))
        took = time.perf_counter() - start
        rows = None if isinstance(result, Figure) else len(result.frame)
        built[name] = {"seconds": round(took, 3), "rows": rows}
    return built


@click.command()
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of runs with a finished full-size run of config/rehearsal.yaml.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(results: Path | None, as_json: bool) -> None:
    """Build all; exits with 1 if they take over 60 s, or the process over 4 GB."""
    config = load_config(read_yaml(CONFIG).data)
    read_s = None
    if results is None:
        rng = np.random.default_rng(0)
        plans = make_plans(config, rng)
        verdicts = make_verdicts(config, plans, rng)
    else:
        plans, verdicts, read_s = read_frames(config, results)
    start = time.process_time()
    built = build_all(config, plans, verdicts, results)
    processor = time.process_time() - start
    total = sum(each["seconds"] for each in built.values())
    # Linux gives kB, macOS bytes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)
    summary = {
        "frames": "made" if results is None else str(results),
        "plans": len(plans),
        "ok_plans": int((plans["plan_status"] == "ok").sum()),
        "verdicts": len(verdicts),
        "read_verdicts_s": None if read_s is None else round(read_s, 2),
        "total_s": round(total, 2),
        "processor_s": round(processor, 2),
        "peak_gb": round(peak, 2),
    }
    if as_json:
        print(json.dumps({**summary, "tables": built}))
    else:
        print(f"{len(plans):,} plans, {summary['ok_plans']:,} of them ok, {len(verdicts):,} verdicts")
        for name, each in built.items():
            shown = "figure" if each["rows"] is None else f"{each['rows']} rows"
            print(f"  {each['seconds']:7.3f} s  {name} ({shown})")
        if read_s is not None:
            print(f"reading the verdict files {read_s:.2f} s")
        print(
            f"{len(built)} tables and figures in {total:.2f} s (at most {LIMIT_S:.0f} s),"
            f" {processor:.2f} s of processor, peak memory {peak:.2f} GB (at most {LIMIT_GB:.0f} GB)"
        )
    sys.exit(total + (read_s or 0.0) > LIMIT_S or peak > LIMIT_GB)


if __name__ == "__main__":
    main()
