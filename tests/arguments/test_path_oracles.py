"""Finding texts and numbers, against oracles that are slow and share no code with what they test."""

from __future__ import annotations

import random
import re
import unicodedata
from decimal import Decimal

from plumbline.arguments.paths.numbers import find_number
from plumbline.arguments.paths.texts import Text


def folded(text: str) -> str:
    """Normalise a whole text at once."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"\s+", " ", text)


def test_finding_agrees_with_a_search_of_the_whole_normalised_text() -> None:
    draw = random.Random(11)
    letters = [
        "a",
        "B",
        "\u00c9",
        "e\u0301",
        "\ufb01",
        "\u00df",
        " ",
        "  ",
        "\t",
        "\u00a0",
        "-",
        "_",
        "1",
        "\u0665",
    ]
    found = 0
    for _ in range(4000):
        text = "".join(draw.choices(letters, k=draw.randint(0, 14)))
        value = "".join(draw.choices(letters, k=draw.randint(1, 3))).strip()
        needle = folded(value)
        if not needle.strip():
            continue
        first = r"(?<![^\W_])" if needle[0].isalnum() else ""
        last = r"(?![^\W_])" if needle[-1].isalnum() else ""
        wanted = re.search(f"{first}{re.escape(needle)}{last}", folded(text)) is not None
        searched = Text(text)
        span = searched.find(Text(value).text)
        assert (span is not None) == wanted, (text, value)
        if span is not None:
            start, end = searched.original(span)
            assert folded(text[start:end]).strip() == needle.strip(), (text, value)
            found += 1
    assert found > 300


NUMBERS: dict[str, Decimal | None] = {
    "5": Decimal(5), "5.0": Decimal(5), "5,000": Decimal(5000), "5000.00": Decimal(5000), "-5": Decimal(-5),
    "(5)": Decimal(5), "$12.50": Decimal("12.5"), "12.5%": Decimal("12.5"), "0.5": Decimal("0.5"),
    "1,234,567": Decimal(1234567), "0": Decimal(0), "-0.5,": Decimal("-0.5"), "id_42": Decimal(42),
    "05": None, "a5": None, "5km": None, "5th": None, "2024-11-05": None, "10:30": None, "1.2.3": None,
    "5/11/2024": None, "2024-11": None, "10:30:05": None, "x": None,
}  # fmt: skip


def test_numbers_are_found_by_value_and_only_where_they_stand_alone() -> None:
    draw = random.Random(12)
    candidates = sorted({*filter(None, NUMBERS.values()), Decimal(0), Decimal(1), Decimal(2024), Decimal(11),
                         Decimal(30), Decimal(10), Decimal(234), Decimal(50), Decimal("2.5")})  # fmt: skip
    for _ in range(2000):
        words = draw.choices(list(NUMBERS), k=draw.randint(1, 5))
        text = " ".join(words)
        for number in candidates:
            held = number in {NUMBERS[word] for word in words}
            assert (find_number(text, number) is not None) == held, (text, number)
