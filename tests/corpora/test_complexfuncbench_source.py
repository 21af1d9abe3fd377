"""ComplexFuncBench records: references resolved, dependencies recomputed, distractors drawn."""

from __future__ import annotations

import json
import random

import pytest

from plumbline.corpora.checks import check_records
from plumbline.corpora.complexfuncbench import convert_complexfuncbench, read_complexfuncbench

DATA = "data_v1/complexfuncbench/complexfuncbench-data.json"


def _convert(archive, seed=1, low=8, high=19):
    return convert_complexfuncbench(archive, min_tools=low, max_tools=high, seed=seed)


@pytest.fixture
def archive(fixture_archive):
    return fixture_archive("complexfuncbench")


@pytest.fixture
def records(archive):
    taxi, reviews, barcelona, washington = _convert(archive).records
    return {"taxi": taxi, "reviews": reviews, "barcelona": barcelona, "washington": washington}


def test_the_records_pass_the_structural_check(records):
    assert check_records(records.values(), loop_repeats=3) == []


def test_references_become_the_values_of_the_earlier_returns(archive, records):
    with archive.open(DATA) as stream:
        source = json.load(stream)[0]["output"]
    taxi = records["taxi"].expected_calls[3]
    assert source[3]["arguments"]["pick_up_place_id"] == "$var2.googlePlaceId$"
    # var2 returned a list without an index in the reference: its first place
    assert taxi.arguments["pick_up_place_id"] == source[1]["response"][0]["googlePlaceId"]
    assert "$var" not in json.dumps([call.arguments for r in records.values() for call in r.expected_calls])


def test_a_resolved_value_has_the_type_of_its_parameter(records):
    # $var1.dest_id$ is the number 3389612, and hotel_id is a string
    assert records["reviews"].expected_calls[2].arguments["hotel_id"] == "3389612"


@pytest.mark.parametrize(
    ("name", "needs", "topology"),
    [
        # Kagoshima: the museum that s3 looks up stands in s1's return, unmarked in the source
        ("taxi", [(), (), ("s1",), ("s2", "s3")], "fan_in"),
        ("reviews", [(), ("s1",), ("s1",)], "fan_out"),
        # the source marks the hotel of s4 and s5 as coming from s3, which only repeats what s2 returned
        ("barcelona", [(), ("s1",), ("s2",), ("s2",), ("s2",)], "fan_out"),
        ("washington", [(), (), ("s1", "s2"), (), ("s1", "s2", "s4")], "other"),
    ],
)
def test_dependencies_are_those_of_the_values(records, name, needs, topology):
    assert [call.needs for call in records[name].expected_calls] == needs
    assert records[name].topology == topology


def test_names_that_apis_refuse_get_an_alias_and_returns_are_kept(records):
    call = records["reviews"].expected_calls[2]
    assert call.name == "Get_Hotel_Reviews_Tips_"
    assert {t.original_name for t in records["reviews"].tools if t.name == call.name} == {
        "Get_Hotel_Reviews(Tips)"
    }
    assert call.returns


def test_each_record_offers_the_expected_tools_and_between_eight_and_nineteen(archive):
    sizes = set()
    for seed in range(12):
        for record in _convert(archive, seed).records:
            names = [tool.name for tool in record.tools]
            assert {call.name for call in record.expected_calls} <= set(names)
            assert len(set(names)) == len(names)
            sizes.add(len(names))
    assert min(sizes) >= 8
    assert max(sizes) <= 19
    assert len(sizes) > 6


def test_distractors_depend_on_the_seed_and_the_record_alone(fixture_archive):
    archive = fixture_archive("complexfuncbench")
    with archive.open(DATA) as stream:
        rows = json.load(stream)
    first, again, other = (_convert(archive, seed).records for seed in (1, 1, 2))
    assert [r.model_dump_json() for r in first] == [r.model_dump_json() for r in again]
    assert [r.tools for r in first] != [r.tools for r in other]
    fewer = _convert(fixture_archive("complexfuncbench", {DATA: json.dumps(rows[:2]).encode()})).records
    assert [r.model_dump_json() for r in fewer] == [r.model_dump_json() for r in first[:2]]


def test_the_place_of_a_tool_in_the_list_does_not_give_it_away(archive):
    places = [
        [tool.name for tool in record.tools].index(record.expected_calls[0].name)
        for seed in range(60)
        for record in _convert(archive, seed, 10, 10).records
    ]
    # 240 draws over 10 places: 24 each on average, standard deviation 4.6
    assert all(8 <= places.count(place) <= 42 for place in range(10))


def test_variants_of_a_task_are_a_family_and_the_domain_is_the_service(records):
    assert len({record.family for record in records.values()}) == 4
    assert records["reviews"].domain == "hotels"
    assert records["washington"].domain == "flights"
    assert records["taxi"].domain == "cross"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda call: call["arguments"].update(pick_up_place_id="$var9.id$"), "no earlier call"),
        (lambda call: call["arguments"].update(pick_up_place_id="$var2.no.such$"), "no value"),
        (lambda call: call["arguments"].update(colour="red"), "does not declare"),
        (lambda call: call["arguments"].pop("pick_up_date"), "requires"),
        (lambda call: call.update(name="No_Such_Tool"), "not in the catalogue"),
    ],
)
def test_a_task_that_contradicts_itself_is_left_out_with_the_reason(fixture_archive, change, reason):
    archive = fixture_archive("complexfuncbench")
    with archive.open(DATA) as stream:
        rows = json.load(stream)
    change(rows[0]["output"][3])
    reading = _convert(fixture_archive("complexfuncbench", {DATA: json.dumps(rows).encode()}))
    assert len(reading.records) == 3
    ((identifier, said),) = reading.skipped
    assert identifier == "cfb_0000"
    assert reason in said


def test_the_whole_of_complexfuncbench_converts(real_wheel):
    reading = read_complexfuncbench(real_wheel("complexfuncbench"), seed=3)
    assert len(reading.records) + len(reading.skipped) == 1000
    assert len(reading.records) > 990
    assert check_records(random.Random(0).sample(reading.records, 200), loop_repeats=3) == []
    assert all(8 <= len(record.tools) <= 19 for record in reading.records)
    assert len({record.family for record in reading.records}) == 107  # distinct tool sequences
    # the last fixture is task 939, whole
    washington = next(record for record in reading.records if record.id == "cfb_0939")
    assert [call.needs for call in washington.expected_calls][2] == ("s1", "s2")
