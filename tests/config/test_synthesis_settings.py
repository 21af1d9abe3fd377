"""A synthesis that could give no record is refused before a model is asked."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from plumbline.config.settings import LEAST_CALLS, SynthesisedSource
from plumbline.corpora.topology import topology_of
from plumbline.records import ExpectedCall

SMALLEST = {
    "linear": {"a": "", "b": "a"},
    "fan_out": {"a": "", "b": "a", "c": "a"},
    "fan_in": {"a": "", "b": "", "c": "ab"},
    "diamond": {"a": "", "b": "a", "c": "a", "d": "bc"},
    "optional_enrichment": {"a": "", "b": "a", "x": ""},
    "loop_like": {"a": "", "a2": "a"},
}


@pytest.mark.parametrize("topology", LEAST_CALLS)
def test_the_fewest_calls_of_a_topology_make_it(topology):
    calls = tuple(
        ExpectedCall(id=name, name=name[0], arguments={}, needs=tuple(needs))
        for name, needs in SMALLEST[topology].items()
    )
    assert (topology_of(calls), len(calls)) == (topology, LEAST_CALLS[topology])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"most_calls": 3, "topologies": ["linear", "diamond"]}, r"most_calls = 3 \(diamond 4\)"),
        ({"fewest_calls": 4, "most_calls": 3}, "least is above its most"),
        ({"fewest_tools": 2, "most_tools": 4, "fewest_calls": 4}, "no more tools than its calls use"),
        ({"domains": ["a", "b", "a"]}, r"a domain twice \(a\)"),
    ],
)
def test_settings_that_no_record_can_meet_are_refused(changes, told):
    data = {"kind": "synthesised", "model": "m", "domains": ["banking"]}
    SynthesisedSource.model_validate(data)
    with pytest.raises(ValidationError, match=told):
        SynthesisedSource.model_validate(data | changes)
