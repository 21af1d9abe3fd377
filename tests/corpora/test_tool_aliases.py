"""Aliases of tool names are accepted by model APIs, never meet, and lead back."""

from __future__ import annotations

import random
import re

import pytest

from plumbline.corpora.aliases import alias_names, original_names


@pytest.mark.parametrize(
    ("names", "aliases"),
    [
        (["get_order", "a-b"], {"get_order": "get_order", "a-b": "a-b"}),
        (["math.gcd"], {"math.gcd": "math_gcd"}),
        (["math.gcd", "math_gcd"], {"math_gcd": "math_gcd", "math.gcd": "math_gcd_2"}),
        (["a.b", "a/b", "a b"], {"a b": "a_b", "a.b": "a_b_2", "a/b": "a_b_3"}),
        (["x" * 70], {"x" * 70: "x" * 64}),
        (["x" * 64, "x" * 70], {"x" * 64: "x" * 64, "x" * 70: "x" * 62 + "_2"}),
        (["Get_Hotel_Reviews(Tips)"], {"Get_Hotel_Reviews(Tips)": "Get_Hotel_Reviews_Tips_"}),
    ],
)
def test_refused_names_get_an_alias_and_others_stay(names, aliases):
    assert alias_names(names) == aliases


def test_aliases_are_accepted_distinct_and_independent_of_order():
    rng = random.Random(2)
    for _ in range(200):
        names = {"".join(rng.choices("ab._ é", k=rng.choice([1, 2, 3, 66]))) for _ in range(12)}
        shuffled = rng.sample(sorted(names), len(names))
        aliases = alias_names(names)
        assert aliases == alias_names(shuffled) == alias_names(iter(shuffled))
        assert len(set(aliases.values())) == len(names)
        assert all(re.fullmatch("[A-Za-z0-9_-]{1,64}", alias) for alias in aliases.values())


def test_a_record_leads_back_to_the_names_of_its_source(order, order_data):
    tools = [{**order_data["tools"][0], "original_name": "orders.find"}, order_data["tools"][1]]
    assert original_names(order(tools=tools)) == {"find_order": "orders.find", "refund": "refund"}
