"""A simulated judge's expected alignment is the target of its cell."""

import numpy as np
import pytest

from plumbline.config.cells import Cell
from plumbline.config.models import Decoding, Simulation
from plumbline.judging.reading import read_verdict
from plumbline.judging.simulation import agreement_for, read_targets, resampled, target_of
from plumbline.models import Request
from plumbline.models.simulated import simulated_reply
from plumbline.records import METRICS, DataError, UserError

CELL = Cell("ada", "gen", "hard", "with_gt")


def references(rng, count):
    values = rng.choice([0, 0.25, 0.5, 2 / 3, 0.75, 1], size=(count, 4))
    return [dict(zip(METRICS, map(float, row), strict=True)) for row in values]


@pytest.mark.parametrize("target", [55.0, 70.0, 83.5])
def test_the_expected_match_of_the_drawn_marks_is_the_target(target):
    scores = references(np.random.default_rng(7), 200)
    agreement = agreement_for(target, scores, CELL)
    # brute force: the expectation over both marks of every score
    expected = 0.0
    for score in (value for row in scores for value in row.values()):
        near = min((0.0, 0.5, 1.0), key=lambda mark: abs(mark - score))
        far = max((0.0, 0.5, 1.0), key=lambda mark: abs(mark - score))
        expected += agreement * (1 - abs(score - near)) + (1 - agreement) * (1 - abs(score - far))
    assert 100 * expected / (4 * len(scores)) == pytest.approx(target, abs=1e-9)


def test_a_bisection_finds_the_same_agreement():
    scores = references(np.random.default_rng(8), 50)
    values = np.array([list(row.values()) for row in scores])
    distance = np.abs(values[..., None] - np.array([0, 0.5, 1]))
    near, far = 1 - distance.min(axis=-1).mean(), 1 - distance.max(axis=-1).mean()
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * near + (1 - middle) * far < 0.8 else (low, middle)
    assert agreement_for(80.0, scores, CELL) == pytest.approx(low, abs=1e-9)


def test_drawn_verdicts_come_near_their_target():
    scores = references(np.random.default_rng(9), 3000)
    agreement = agreement_for(75.0, scores, CELL)
    matches = []
    for number, row in enumerate(scores):
        payload = {"kind": "verdict", "judge": "ada", "condition": "with_gt", "scores": row}
        payload |= {"agreement": agreement}
        request = Request(f"r{number}|hard|gen|with_gt", (), Decoding(), simulation=payload)
        reply = simulated_reply(request, Simulation())
        found = read_verdict(reply.text).scores
        matches.append(np.mean([1 - abs(row[m] - found[m]) for m in METRICS]))
    error = np.std(matches) / np.sqrt(len(matches))
    assert abs(np.mean(matches) - 0.75) < 4 * error


def test_a_target_out_of_reach_names_the_cell_and_what_can_be_reached():
    scores = [dict.fromkeys(METRICS, 0.75)]
    # the nearest mark is .25 away, the farthest .75
    with pytest.raises(UserError, match=r"ada on gen, hard, with_gt.*25\.0 to 75\.0 %"):
        agreement_for(80.0, scores, CELL)


def test_the_draw_of_references_is_seeded_and_varies_like_a_draw_of_records():
    values = [{"sequence": number / 400} for number in range(401)]
    means = [np.mean([row["sequence"] for row in resampled(values, seed, CELL)]) for seed in range(300)]
    # a mean of 401 draws from 0 to 1 has a standard error of sqrt(1 / 12 / 401), itself known within 4 * 4 %
    assert np.std(means) == pytest.approx((1 / 12 / 401) ** 0.5, rel=0.16)
    assert resampled(values, 1, CELL) == resampled(values, 1, CELL) != resampled(values, 2, CELL)
    assert resampled([], 1, CELL) == []


def test_a_cell_without_plans_needs_no_agreement():
    assert agreement_for(80.0, [], CELL) == 1.0


def test_the_published_targets_are_180_cells(project_root):
    targets = read_targets(str(project_root / "resources/published/alignment.csv"))
    assert len(targets) == 180
    assert targets[Cell("qwq_32b", "llama_3_3_70b", "easy", "with_gt")] == 96.6
    assert target_of(CELL, Simulation()) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("judge,generator\na,b\n", "line 2: needs generator"),
        ("judge,generator,tier,condition,alignment_pct\na,b,hard,c,high\n", "line 2: needs generator"),
        ("judge,generator,tier,condition,alignment_pct\na,b,hard,c,101\n", "is 101; it is a percentage"),
        (None, "is not there"),
    ],
)
def test_a_bad_file_of_targets_names_the_line(tmp_path, text, words):
    file = tmp_path / "targets.csv"
    if text is not None:
        file.write_text(text)
    with pytest.raises(DataError, match=words):
        read_targets(str(file))
