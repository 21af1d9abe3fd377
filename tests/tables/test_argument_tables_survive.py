"""Every table and figure of argument judging is built from whole, thin and broken runs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from argument_run import ArgumentRun
from matplotlib.figure import Figure

from plumbline.report.page import table_page
from plumbline.tables.argument_beside import with_deref
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.argument_origin import stamp_argument_origin, with_argument_origin
from plumbline.tables.drawing import svg_text
from plumbline.tables.registry import ARGUMENT_TABLES, TABLES
from plumbline.tables.result import TableResult


def lost(judge, name, item):
    return "no_logprobs"


def constant(judge, name, item):
    return 0.5


RUNS = {
    "whole": {},
    "asked_again": {"replicates": 3, "inputs": ("plain", "deref")},
    "no_wrong_value": {"labels": ("correct",)},
    "no_right_value": {"labels": ("wrong",)},
    "one_query": {"queries": 1},
    "one_path": {"paths": ("visible",)},
    "nothing_read": {"score": lost},
    "all_alike": {"score": constant},
    "one_input": {"inputs": ("plain",), "datasets": ("cfb",)},
    "only_the_baseline": {"judges": {"match": {"match": "deref"}}, "inputs": ("plain",)},
    "no_items": {"queries": 0},
    "simulated": {"engine": "simulated", "inputs": ("plain", "deref", "whole"), "datasets": ("cfb",)},
}


@pytest.fixture(scope="module", params=RUNS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ArgumentInputs:
    few = {} if request.param == "whole" else {"datasets": ("cfb", "near"), "queries": 6}
    return ArgumentRun(tmp_path_factory.mktemp(request.param), **{**few, **RUNS[request.param]}).made()


@pytest.mark.parametrize("name", ARGUMENT_TABLES)
@pytest.mark.filterwarnings("error")
def test_a_result_is_built_from_any_run(
    made: ArgumentInputs, name: str, project_root: Path, monkeypatch
) -> None:
    monkeypatch.chdir(project_root)
    spec = TABLES[name]
    result = spec.build(made)
    if isinstance(result, Figure):
        stamp_argument_origin(result, made)
        assert "<svg" in svg_text(result)
        return
    result = with_argument_origin(with_deref(result, name, made), made)
    assert isinstance(result, TableResult)
    assert set(result.columns) <= set(result.frame.columns)
    page = table_page(result, spec, "small", "main")
    assert "nan" not in page.lower().replace("nano", "")
    unexplained = missing_without_reason(result.frame)
    assert unexplained == []


def missing_without_reason(frame: pd.DataFrame) -> list[str]:
    """Columns of numbers with a gap that nothing explains."""
    found = []
    for name in frame.columns:
        if name.endswith("_reason") or not frame[name].isna().any():
            continue
        reason = frame.get(f"{name}_reason")
        if reason is None or reason[frame[name].isna()].isna().any():
            found.append(str(name))
    return found
