import io
import re
from pathlib import Path

import pytest
from docutils.core import publish_parts
from jinja2 import Environment, StrictUndefined

from plumbline.tables.registry import CORPUS_TABLES, TABLES

PAGES = (
    "overview",
    "claims",
    "argument_page",
    "argument_claims",
    "argument_items",
    "workflow",
    "synthesis_yield",
)
CAPTIONS = Path(__file__).parents[2] / "resources" / "captions"


class Workflow:
    """What Snakemake gives to a caption."""

    config = {"run": "tiny"}


def test_every_table_and_figure_has_a_line_of_its_own():
    lines = [spec.about for spec in TABLES.values()]
    assert all(lines)
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("name", [*TABLES, *CORPUS_TABLES, *PAGES])
def test_a_caption_is_clean_rst_of_a_few_sentences(name):
    source = (CAPTIONS / f"{name}.rst").read_text(encoding="utf-8")
    template = Environment(undefined=StrictUndefined, autoescape=False).from_string(source)
    text = template.render(snakemake=Workflow)
    complaints = io.StringIO()
    publish_parts(text, writer="html", settings_overrides={"warning_stream": complaints})
    assert complaints.getvalue() == ""
    if name != "workflow":
        sentences = re.findall(r"[.?](?=\s|$)", text)
        assert 3 <= len(sentences) <= 6


def test_no_caption_is_left_over():
    assert {file.stem for file in CAPTIONS.glob("*.rst")} == {*TABLES, *CORPUS_TABLES, *PAGES}
