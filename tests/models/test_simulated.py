import dataclasses
import json
import math
import time

import pytest

from plumbline.config.models import Decoding, Simulation
from plumbline.models import Request
from plumbline.models.simulated import UNREADABLE, simulated_reply

METRICS = ("tool_selection", "parameter_structure", "sequence", "query_coverage")
COUNT = 4000


def requests(score, condition="with_gt", count=COUNT):
    scores = dict.fromkeys(METRICS, score)
    payload = {"kind": "verdict", "condition": condition, "scores": scores}
    return [Request(f"{condition}|{n}", (), Decoding(), simulation=payload) for n in range(count)]


def marks(simulation, items):
    verdicts = [json.loads(simulated_reply(item, simulation).text) for item in items]
    return [verdict[metric]["accuracy"] for verdict in verdicts for metric in METRICS]


def assert_share(values, wanted, expected):
    """Within four standard errors of the binomial."""
    share = sum(value == wanted for value in values) / len(values)
    assert abs(share - expected) <= 4 * math.sqrt(expected * (1 - expected) / len(values)) + 1e-12


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (1.0, {1.0: 0.8, 0.5: 0.2, 0.0: 0.0}),
        (0.9, {1.0: 0.8, 0.5: 0.2, 0.0: 0.0}),
        (0.1, {0.0: 0.8, 0.5: 0.2, 1.0: 0.0}),
        (0.5, {0.5: 0.8, 1.0: 0.2 * 0.7, 0.0: 0.2 * 0.3}),
        (0.75, {0.5: 0.8, 1.0: 0.2 * 0.7, 0.0: 0.2 * 0.3}),
    ],
)
def test_marks_come_as_often_as_the_error_model_says(score, expected):
    drawn = marks(Simulation(agreement=0.8, leniency=0.7), requests(score))
    for mark, share in expected.items():
        assert_share(drawn, mark, share)


def test_a_condition_can_have_an_agreement_of_its_own():
    simulation = Simulation(agreement=1.0, agreement_by_condition={"without_gt": 0.6})
    assert set(marks(simulation, requests(1.0))) == {1.0}
    assert_share(marks(simulation, requests(1.0, "without_gt")), 1.0, 0.6)


def test_the_stated_share_of_answers_cannot_be_read():
    simulation = Simulation(failures=0.1)
    texts = [simulated_reply(item, simulation).text for item in requests(1.0)]
    assert_share(texts, UNREADABLE, 0.1)


def test_metrics_err_independently():
    drawn = marks(Simulation(agreement=0.5), requests(1.0))
    pairs = [(drawn[k] == 1.0, drawn[k + 1] == 1.0) for k in range(0, len(drawn), 4)]
    assert_share(pairs, (True, True), 0.25)


def test_a_draw_depends_on_its_own_name_alone():
    simulation = Simulation(agreement=0.5, seed=3)
    items = requests(0.5, count=60)
    forward = [simulated_reply(item, simulation) for item in items]
    backward = [simulated_reply(item, simulation) for item in reversed(items)]
    assert forward == backward[::-1]
    others = [dataclasses.replace(item, replicate=1) for item in items]
    assert [simulated_reply(item, simulation) for item in others] != forward
    assert [simulated_reply(item.next_attempt(), simulation) for item in items] != forward
    assert [simulated_reply(item, Simulation(agreement=0.5, seed=4)) for item in items] != forward


def test_two_judges_on_one_model_err_independently():
    simulation = Simulation(agreement=0.5)
    items = requests(1.0)
    named = [
        [dataclasses.replace(item, simulation={**item.simulation, "judge": judge}) for item in items]
        for judge in ("ada", "bob")
    ]
    pairs = zip(marks(simulation, named[0]), marks(simulation, named[1]), strict=True)
    assert_share([pair == (1.0, 1.0) for pair in pairs], True, 0.25)


@pytest.mark.parametrize(("score", "farthest"), [(1.0, 0.0), (0.75, 0.0), (0.3, 1.0), (0.5, 0.0)])
def test_an_agreement_of_the_request_errs_to_the_farthest_mark(score, farthest):
    items = [
        dataclasses.replace(item, simulation={**item.simulation, "agreement": 0.7})
        for item in requests(score)
    ]
    drawn = marks(Simulation(agreement=0.1), items)
    assert_share(drawn, farthest, 0.3)
    assert len(set(drawn)) == 2


def test_a_simulated_model_gives_the_text_it_was_handed():
    request = Request("g", (), Decoding(), simulation={"kind": "text", "text": "[]"})
    assert simulated_reply(request, Simulation()).text == "[]"


CALLS = [{"name": "f", "arguments": {"x": 1, "y": 2}}, {"name": "g", "arguments": {"z": 3}}]


def plans(simulation, count=COUNT):
    payload = {"kind": "plan", "tier": "hard", "calls": CALLS}
    items = [Request(f"r{n}|hard", (), Decoding(), simulation=payload) for n in range(count)]
    return [simulated_reply(item, simulation).text for item in items]


def test_a_simulated_generator_plans_the_expected_calls_unless_its_quality_is_lower():
    assert set(plans(Simulation(), 50)) == {json.dumps(CALLS)}
    texts = plans(Simulation(quality={"hard": 0.8}))
    assert_share(texts, json.dumps(CALLS), 0.8**2)
    dropped = [json.loads(text) == CALLS[1:] for text in texts]
    assert_share(dropped, True, 0.2 / 5 * 0.8)  # the first call dropped, the second right


def test_plans_of_a_tier_can_fail_more_often_than_others():
    simulation = Simulation(failures=0.0, failures_by_tier={"hard": 0.3})
    assert_share(plans(simulation), UNREADABLE, 0.3)


def test_a_full_size_rehearsal_takes_seconds():
    items = requests(0.5, count=5000)
    start = time.process_time()
    for item in items:
        simulated_reply(item, Simulation())
    assert time.process_time() - start < 1  # at this rate 640,000 take two minutes at the very most
