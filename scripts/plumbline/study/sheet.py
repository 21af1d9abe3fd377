"""The annotation sheet: one HTML file that works without a network, and the same as CSV (A44)."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from plumbline.config.settings import Scoring
from plumbline.records import METRICS, digest_of
from plumbline.records.model import Tool
from plumbline.study.comparing import ComparedCall, compared
from plumbline.study.items import SHOWN_LENGTH, StudyItem

QUESTIONS = {
    "tool_selection": (
        "Tool selection",
        "The right tools? 1, less missing and surplus tools over the expected ones. Order and repetition do "
        "not count.",
    ),
    "parameter_structure": (
        "Parameter structure",
        "The right argument names? Mean over calls: 1 if just these, 0.5 if more, 0 if one is missing or the "
        "tool is not expected. Values do not count.",
    ),
    "sequence": (
        "Sequence",
        "The right order? Share of expected places at which the plan calls the expected tool. Surplus calls "
        "at the end do not count.",
    ),
    "query_coverage": (
        "Query coverage",
        "Everything that was asked for? Share of expected tools that the plan calls.",
    ),
}
"""Name of each metric, and how the program scores it, for annotators; `questions` fits it to a run."""

DECLARED_KEYS = (
    "The right argument names? Mean over calls: 1 if just these or others that the tool declares, 0.5 if "
    "more, 0 if one is missing or the tool is not expected. Values do not count."
)
SHARE_OF_CALLED = "Everything that was asked for? Share of called tools that are expected."

FORMULA = "=+-@\t\r"
"""What begins a formula in a spreadsheet; such a cell gets an apostrophe in front."""

OWN = (
    "id",
    "topology",
    *(f"prog_{metric}" for metric in METRICS),
    *(f"agree_{metric}" for metric in METRICS),
)
COLUMNS = (*OWN, "notes", *(f"reason_{metric}" for metric in METRICS), "annotator", "shown")
"""Columns of a sheet in CSV."""

READ_ONLY = ("query", "generated_calls", "expected_calls", "tools")
"""Columns for those who annotate in a spreadsheet; nothing reads them back."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool, in words."""

    name: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True)
class Page:
    """One plan as the sheet shows it."""

    item: StudyItem
    shown: str
    rows: list[ComparedCall]
    parameters: dict[str, list[Parameter]]

    @property
    def called(self) -> set[str]:
        """Tools that the plan or the expected calls name."""
        return {row.name for row in self.rows}


def shown_digest(item: StudyItem) -> str:
    """Give a digest of what an annotator sees of a plan; sheets hold it, so that a change is noticed."""
    return digest_of(item.model_dump(mode="json", exclude={"generator"}))[:SHOWN_LENGTH]


def sample_digest(items: Sequence[StudyItem]) -> str:
    """Give a digest of a sample; browsers keep annotations under it."""
    return digest_of([shown_digest(item) for item in items])[:SHOWN_LENGTH]


def questions(scoring: Scoring) -> dict[str, tuple[str, str]]:
    """Give the name of each metric and how this run scores it."""
    found = dict(QUESTIONS)
    if scoring.extra_keys == "schema_aware":
        found["parameter_structure"] = (QUESTIONS["parameter_structure"][0], DECLARED_KEYS)
    if scoring.coverage_extras == "penalise":
        found["query_coverage"] = (QUESTIONS["query_coverage"][0], SHARE_OF_CALLED)
    return found


def sheet_page(items: Sequence[StudyItem], run_name: str, scoring: Scoring | None = None) -> str:
    """Write the sheet as one self-contained HTML page.

    Parameters
    ----------
    items
        The sample, in the order in which it is shown.
    run_name
        Shown in the heading.
    scoring
        How the run scores plans, which the sheet explains; None stands for the paper's equations.

    Returns
    -------
    str
        HTML. Whatever models wrote is escaped, and the page's policy runs no script but its own and allows no
        connection.
    """
    script, style = _asset("sheet.js") + _asset("exchange.js"), _asset("sheet.css")
    pages = [
        Page(item, shown_digest(item), compared(item.calls, item.expected_calls), _parameters(item.tools))
        for item in items
    ]
    return (
        _templates()
        .get_template("sheet.html")
        .render(
            pages=pages,
            run=run_name,
            sample=sample_digest(items),
            questions=questions(scoring or Scoring()),
            metrics=METRICS,
            script=script,
            style=style,
            script_hash=_source_hash(script),
            style_hash=_source_hash(style),
        )
    )


def sheet_csv(items: Sequence[StudyItem]) -> str:
    """Write the sheet as CSV: blank `agree_METRIC` to be filled with 1 or 0, the plans at the end."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([*COLUMNS, *READ_ONLY])
    for item in items:
        cells: dict[str, Any] = {"id": item.id, "topology": item.topology, "shown": shown_digest(item)}
        cells |= {f"prog_{metric}": printed(score) for metric, score in item.scores.items()}
        cells |= {
            "query": item.query,
            "generated_calls": _one_line([call.model_dump() for call in item.calls]),
            "expected_calls": _one_line(
                [{"name": call.name, "arguments": call.arguments} for call in item.expected_calls]
            ),
            "tools": _one_line([tool.offered() for tool in item.tools]),
        }
        writer.writerow([guarded(str(cells.get(name, ""))) for name in (*COLUMNS, *READ_ONLY)])
    return stream.getvalue()


def guarded(cell: str) -> str:
    """Keep a spreadsheet from taking a cell for a formula."""
    return f"'{cell}" if cell.startswith(tuple(FORMULA)) else cell


def unguarded(cell: str) -> str:
    """Take back what `guarded` did."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] and cell[1] in FORMULA else cell


def printed(score: float) -> str:
    """Write a score with at most four decimals: 1, 0.5, 0.6667."""
    return f"{score:.4f}".rstrip("0").rstrip(".")


def _parameters(tools: Sequence[Tool]) -> dict[str, list[Parameter]]:
    return {tool.name: list(_parameters_of(tool)) for tool in tools}


def _parameters_of(tool: Tool) -> Iterator[Parameter]:
    properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
    for name, schema in (properties if isinstance(properties, dict) else {}).items():
        about = schema if isinstance(schema, dict) else {}
        kind = about.get("type", "any")
        words = [str(about.get("description", "") or "")]
        words += [f"One of {_one_line(about['enum'])}."] if about.get("enum") else []
        words += [f"Default {_one_line(about['default'])}."] if "default" in about else []
        named = isinstance(required, list) and name in required
        kinds = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
        yield Parameter(str(name), kinds, named, " ".join(filter(None, words)))


def _one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _asset(name: str) -> str:
    return (files("plumbline.study") / "templates" / name).read_text(encoding="utf-8")


def _source_hash(text: str) -> str:
    """Give the hash by which the page's policy knows its own script and style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("plumbline.study"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printed"] = printed
    return environment
