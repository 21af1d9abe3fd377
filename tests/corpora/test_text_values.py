"""Which values a query holds, as people write them."""

from __future__ import annotations

import pytest

from plumbline.corpora.values import Text, leaves


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("pay 1,200 dollars", 1200),
        ("pay 1200 dollars", "1200"),
        ("pay 1200.00 dollars", 1200),
        ("about 2.5k units", 2500),
        ("two hundred and fifty thousand", 250_000),
        ("twenty-five people", 25),
        ("a dozen eggs", 12),
        ("1.5 million", 1_500_000),
        ("a 15% discount", 15),
        ("a 15% discount", 0.15),
        ("at -5 degrees", -5),
        ("5", 5.0),
        ("Order so-77, please.", "SO-77"),
        ("for smith & co.", "Smith & Co."),
        ("high-priority ticket", "high_priority"),
        ("on 2031-09-16", "2031-09-16"),
        ("on 16 September 2031", "2031-09-16"),
        ("on the 16th of September", "2031-09-16"),
        ("on Sept. 16th, 2031", "2031-09-16"),
        ("on 09/16/2031", "2031-09-16"),
        ("on 16.9.2031", "2031-09-16"),
        ("on March 3 at 8 AM", "2026-03-03T08:00:00Z"),
        ("at 8 am", "08:00"),
        ("at 2:30 p.m.", "14:30"),
        ("at 14.30", "14:30"),
        ("at noon", "12:00"),
        ("anything", True),
        ("anything", None),
    ],
)
def test_the_text_holds_the_value(text, value):
    assert Text(text).holds(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("pay 1,200 dollars", 200),
        ("pay 12 dollars", 1200),
        ("order SO-770", "SO-77"),
        ("at 15% off", 0.85),
        ("a smithy", "smith"),
        ("on 17 September 2031", "2031-09-16"),
        ("on 16 September 2030", "2031-09-16"),
        ("at 8 pm", "08:00"),
        ("on March 3 at 9 AM", "2026-03-03T08:00:00Z"),
        ("twenty people, five dogs", 25),
        ("", "x"),
    ],
)
def test_the_text_does_not_hold_the_value(text, value):
    assert not Text(text).holds(value)


def test_leaves_are_the_scalars_in_order():
    assert list(leaves({"a": [1, {"b": None}], "c": "x", "d": []})) == [1, None, "x"]
