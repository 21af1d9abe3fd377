import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plumbline.records import METRICS
from plumbline.statistics import (
    alignment,
    binary_collapse,
    bootstrap_interval,
    cohen_kappa,
    confusion,
    discretise,
    exact_agreement,
    interval_bounds,
    jury,
    matches,
    spearman,
)

CASES = json.loads((Path(__file__).parents[1] / "fixtures" / "statistics.json").read_text())["cases"]
NONE = [float("nan")] * len(METRICS)


def cases(*functions: str) -> list[Any]:
    chosen = [case for case in CASES if case["function"] in functions]
    assert chosen
    return [pytest.param(case, id=case["id"]) for case in chosen]


def close(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", cases("cohen_kappa"))
def test_kappa_is_as_the_case_says(case):
    a, b = case["input"]["a"], case["input"]["b"]
    expect = case["expect"]
    kappa = cohen_kappa(a, b)
    assert kappa.value == (None if expect["value"] is None else close(expect["value"]))
    assert kappa.reason == expect.get("reason")
    assert exact_agreement(a, b).value == close(expect["agreement"])


@pytest.mark.parametrize("case", cases("exact_agreement"))
def test_agreement_is_as_the_case_says(case):
    assert exact_agreement(case["input"]["a"], case["input"]["b"]).value == close(case["expect"]["value"])


@pytest.mark.parametrize("case", cases("confusion"))
def test_confusion_is_as_the_case_says(case):
    table = confusion(case["input"]["a"], case["input"]["b"])
    assert table.tolist() == case["expect"]["rows_a_columns_b"]


@pytest.mark.parametrize("case", cases("discretise"))
def test_marks_are_as_the_case_says(case):
    assert discretise(case["input"]["values"]).tolist() == case["expect"]["labels"]


@pytest.mark.parametrize("case", cases("spearman"))
def test_rank_correlation_is_as_the_case_says(case):
    rho = spearman(case["input"]["x"], case["input"]["y"])
    expect = case["expect"]
    assert rho.value == (None if expect["value"] is None else close(expect["value"]))
    assert rho.reason == expect.get("reason")


@pytest.mark.parametrize("case", cases("bootstrap_interval"))
def test_interval_of_a_constant_is_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    found = bootstrap_interval(
        given["values"], given["clusters"], resamples=given["resamples"], seed=given["seed"]
    )
    assert (found.mean, found.low, found.high) == (expect["mean"], expect["low"], expect["high"])
    assert found.high - found.low == expect["width"]


@pytest.mark.parametrize("case", cases("interval_bounds"))
def test_bounds_by_index_are_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    bounds = interval_bounds(given["resample_means"], given["level"], rule="released")
    assert bounds == (expect["low"], expect["high"])


@pytest.mark.parametrize("case", cases("jury"))
def test_jury_is_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    verdicts = [
        [record["verdicts"][judge] or NONE for record in given["records"]] for judge in given["judges"]
    ]
    found = jury([record["reference"] for record in given["records"]], verdicts)
    assert np.allclose(found.means, expect["means"], atol=1e-9)
    assert found.points.value == close(expect["points"])
    assert found.n == expect["n"]


@pytest.mark.parametrize("case", cases("binary_collapse"))
def test_binary_collapse_is_as_the_case_says(case):
    given, expect = case["input"], case["expect"]
    verdicts, references = binary_collapse(given["verdicts"], given["references"])
    assert verdicts.tolist() == expect["verdicts"]
    assert references.tolist() == expect["references_collapsed"]
    assert 100 * matches(references, verdicts).mean() == close(expect["points_collapsed"])
    assert 100 * matches(given["references"], verdicts).mean() == close(expect["points_raw"])


@pytest.mark.parametrize("case", cases("alignment"))
def test_alignment_is_as_the_case_says(case):
    records, expect = case["input"]["records"], case["expect"]
    found = alignment(
        [record["reference"] for record in records], [record["scores"] or NONE for record in records]
    )
    assert found.points.value == close(expect["points"])
    assert (found.n, found.coverage) == (expect["n"], close(expect["coverage"]))
