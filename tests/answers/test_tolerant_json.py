"""The decoder accepts strict JSON and the listed deviations, nothing else, in linear time."""

from __future__ import annotations

import json
import math
import random
import string
import time
from typing import Any

import pytest

from plumbline.answers import (
    Conflict,
    Decoder,
    DecodingError,
    ExhaustedError,
    MalformedError,
    NonFinite,
    TruncatedError,
    decode,
    flaw,
    number_of,
    openings,
    plain,
    same_value,
    scan,
    shown,
    walk,
)

MEGABYTE = 1_000_000


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(5 if depth > 3 else 8)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-(10**20), 10**20)
    if kind == 2:
        return rng.uniform(-1, 1) * 10 ** rng.randrange(-300, 300)
    if kind < 5:
        alphabet = string.printable + "\\\"'/\x00\x1fäש\u2028🚀"
        return "".join(rng.choices(alphabet, k=rng.randrange(8)))
    if kind == 5:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {str(random_value(rng, 9)): random_value(rng, depth + 1) for _ in range(rng.randrange(5))}


@pytest.mark.parametrize("seed", range(300))
def test_strict_json_decodes_to_what_the_standard_library_reads(seed):
    rng = random.Random(seed)
    value = random_value(rng)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1]))
    read = decode(text)
    assert read == json.loads(text)
    assert json.dumps(read) == json.dumps(json.loads(text))


@pytest.mark.parametrize("seed", range(60))
def test_every_beginning_of_a_container_is_truncated(seed):
    rng = random.Random(seed)
    text = json.dumps([random_value(rng), {"k": random_value(rng)}, -1.5e3, True, "a\u00e9"])
    for end in range(len(text)):
        with pytest.raises(TruncatedError):
            decode(text[:end])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2,]", [1, 2]),
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'it\\'s \"b\"'}", {"a": 'it\'s "b"'}),
        ("[True, False, None]", [True, False, None]),
        ("[1, // one\n 2 /* two */]", [1, 2]),
        ("/* before */ [1] // behind", [1]),
        ('["a // b /* c */"]', ["a // b /* c */"]),
        ('["a\nb\tc\x00\x1f"]', ["a\nb\tc\x00\x1f"]),
        (r'["\d C:\temp \q"]', ["\\d C:\temp \\q"]),
        (r'["it\'s"]', ["it\\'s"]),
        (r'["\u12G4 \u12"]', ["\\u12G4 \\u12"]),
        (r'["\ud83d\ude80"]', ["🚀"]),
        (r'["\ud83d x \ude80 \ud83d\u0041"]', ["\ufffd x \ufffd \ufffdA"]),
        ("\ufeff[\u200b1\u2060,\ufeff2]\u200b", [1, 2]),
        ('["\u200ba\ufeff"]', ["\u200ba\ufeff"]),
        ("[90071992547409931234567890, -0, 1.50]", [90071992547409931234567890, 0, 1.5]),
        ('{"a": 1, "a": 1.0, "a": 1}', {"a": 1}),
        ('{"a": {"b": [1, "x"]}, "a": {"b": [1.0, "x"]}}', {"a": {"b": [1, "x"]}}),
        ("[]", []),
        ("{}", {}),
        ('""', ""),
    ],
)
def test_listed_deviations_decode(text, value):
    assert same_value(decode(text), value)


@pytest.mark.parametrize(
    "text",
    [
        "{a: 1}",
        "{\u201ca\u201d: 1}",
        "[\uff11]",
        "[50%]",
        "[.5]",
        "[+1]",
        "[01]",
        "[1.]",
        "[1e]",
        "[0x10]",
        "[1_000]",
        "[- 1]",
        "[1 2]",
        '["a" "b"]',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '["a]b", c"]',
        "[,]",
        "[1,,]",
        "{,}",
        '{"a"}',
        '{"a":}',
        '{1: "a"}',
        "[1}",
        '{"a": 1]',
        "[TRUE]",
        "[trueish]",
        "[nan]",
        "[+Infinity]",
        "[-NaN]",
        "[(1)]",
        "[1\u00a0]",
        "[# one\n1]",
        "[1] 2",
        "[1/2]",
        "]",
    ],
)
def test_everything_else_is_malformed(text):
    with pytest.raises(MalformedError):
        decode(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{",
        '{"a',
        '{"a"',
        '{"a":',
        "[1,",
        "['x",
        "[1.",
        "[-",
        "[2e+",
        "[Tru",
        "[-Inf",
        "[1 /",
        "[/* x",
    ],
)
def test_a_text_that_ends_too_early_is_truncated_not_malformed(text):
    with pytest.raises(TruncatedError):
        decode(text)


@pytest.mark.parametrize(
    ("number", "word"),
    [
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("1e400", "Infinity"),
        ("-1e400", "-Infinity"),
        ("9" * 310, "Infinity"),
        ("-" + "9" * MEGABYTE, "-Infinity"),
    ],
)
def test_numbers_that_no_float_holds_are_non_finite(number, word):
    assert decode(f'{{"a": [{number}]}}') == {"a": [NonFinite(word)]}
    assert word in str(flaw(decode(f'{{"a": [{number}]}}')))


def test_the_largest_integers_keep_all_digits():
    largest = int(math.nextafter(math.inf, 0))
    assert decode(f"[{largest}]") == [largest]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1, "a": 2}', [1, 2]),
        ('{"a": 1, "a": true}', [1, True]),
        ('{"a": "1", "a": 1}', ["1", 1]),
        ('{"a": 1, "b": 0, "a": 1.0, "a": null, "a": 1, "a": [2]}', [1, None, [2]]),
        ('{"a": {"x": 1}, "a": {"x": 1, "y": 2}}', [{"x": 1}, {"x": 1, "y": 2}]),
    ],
)
def test_a_key_with_different_values_is_a_conflict(text, values):
    conflict = decode(text)["a"]
    assert isinstance(conflict, Conflict)
    assert same_value(conflict.values, values)


@pytest.mark.parametrize("text", ['[{"a": [{"b": 1, "b": 2}]}]', '{"x": {"a": {"b": {}, "b": []}}}'])
def test_a_conflict_is_found_at_any_depth(text):
    assert "twice" in str(flaw(decode(text)))
    assert sum(isinstance(node, Conflict) for node, _ in walk(decode(text))) == 1


def test_equal_duplicates_at_depth_are_no_flaw():
    assert flaw(decode('{"a": [{"b": {"c": 1}, "b": {"c": 1.0}}]}')) is None


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (2**53 + 1, float(2**53), False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ("é", "e\u0301", False),
        (NonFinite("NaN"), NonFinite("NaN"), True),
        (None, False, False),
        ({}, [], False),
    ],
)
def test_values_are_compared_as_json(one, other, equal):
    assert same_value(one, other) is equal
    assert same_value([{"k": one}], [{"k": other}]) is equal


def test_decoding_starts_at_a_position_and_tells_where_it_ends():
    text = 'see {"a": [1]} and ["b"]'
    decoder = Decoder(text)
    assert decoder.decode(4) == ({"a": [1]}, 14)
    assert decoder.decode(10) == ([1], 13)
    assert decoder.decode(19) == (["b"], 24)
    with pytest.raises(MalformedError) as failure:
        decoder.decode(0)
    assert failure.value.position == 0


def test_a_second_attempt_fails_as_the_first_did():
    decoder = Decoder('{"a": {"b": {"c": @}}}')
    for start in (0, 0, 6, 12, 12):
        with pytest.raises(MalformedError, match="character 19"):
            decoder.decode(start)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * 100_000 + "@",
        '{"a":' * 100_000,
        '{"a":[' * 100_000 + "@",
        "[" * 100_000 + "]" * 99_999,
    ],
)
def test_deep_nesting_fails_cleanly(text):
    with pytest.raises(DecodingError):
        decode(text)


def test_deep_nesting_that_closes_is_decoded_and_flagged():
    value = decode("[" * 100_000 + "]" * 100_000)
    assert "deep" in str(flaw(value))
    assert "deep" in plain(value)
    assert same_value(value, decode("[" * 100_000 + "]" * 100_000))


HUGE = {
    "braces": "{" * MEGABYTE,
    "brackets": "[" * MEGABYTE,
    "nested objects": '{"a":' * (MEGABYTE // 5) + "@",
    "nested arrays": '[{"a":[' * (MEGABYTE // 7) + "@",
    "keys": '{"' * (MEGABYTE // 2),
    "quotes in quotes": """{"a":'{'b':"{""" * (MEGABYTE // 13) + "@",
    "comments": "{/*" * (MEGABYTE // 3) + '*/ "k": 1,' + '"k": 2,' * 10_000 + "@",
    "comments behind keys": '{"a"/*' * (MEGABYTE // 6) + "*/:" + '"' + "x" * MEGABYTE + '" @',
    "open comments": "{/*" * (MEGABYTE // 3),
    "blanks": "{ " * (MEGABYTE // 2),
    "duplicates": "{" + '"a":1,"a":2,' * (MEGABYTE // 12) + "}",
    "escapes": '["' + "\\u0041" * (MEGABYTE // 6) + '"]',
    "digits": "[" + "9" * MEGABYTE + "." + "9" * MEGABYTE + "]",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_trying_every_opening_of_a_megabyte_takes_seconds(text):
    start = time.process_time()
    try:
        for _ in scan(Decoder(text), openings("{[")):
            pass
    except (TruncatedError, ExhaustedError):
        pass
    # quadratic time would be minutes or hours
    assert time.process_time() - start < 15


def test_scanning_takes_values_whole_and_goes_on_behind_failures():
    text = 'a {"x": {"y": 1}} b {nope {"z": "{}"} [2] {"w" 3}'
    found = [value for _, value in scan(Decoder(text), openings("{["))]
    assert [value for value in found if not isinstance(value, MalformedError)] == [
        {"x": {"y": 1}},
        {"z": "{}"},
        [2],
    ]
    assert isinstance(found[-1], MalformedError)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.5", 0.5), ("-3", -3), ("1E2", 100.0), ("1e999", NonFinite("Infinity"))]
    + [
        (text, None)
        for text in ("", "x", "+1", ".5", "1.", "50%", "\uff11", "1 ", "0x1", "1_0", "NaN", "true")
    ],
)
def test_a_number_in_quotes_follows_the_grammar_of_json(text, number):
    assert number_of(text) == number


def test_nothing_that_is_shown_fails_or_runs_long():
    values = [None, True, 1.5, 10**300, "x" * 500, "a\nb", NonFinite("NaN"), Conflict([1, 2]), [1], {"a": 1}]
    assert all(len(shown(value)) <= 60 and "\n" not in shown(value) for value in values)
    assert plain(decode('[NaN, {"a": 1, "a": -Infinity}]')) == ["NaN", {"a": [1, "-Infinity"]}]
