"""Prometheus-2's own prompts, read as text from the package that publishes them, and our rubrics for them."""

from __future__ import annotations

import ast
import functools
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

import yaml

from plumbline.models.requests import Message
from plumbline.records import DataError, UserError
from plumbline.records.wheels import WHEELS, open_wheel

MEMBER = "prometheus_eval/prompts.py"
"""File of the package that holds the prompts."""

_FIELDS = {
    "ABS_SYSTEM_PROMPT": set[str](),
    "ABSOLUTE_PROMPT": {"instruction", "response", "reference_answer", "rubric"},
    "ABSOLUTE_PROMPT_WO_REF": {"instruction", "response", "rubric"},
    "SCORE_RUBRIC_TEMPLATE": {"criteria", *(f"score{level}_description" for level in range(1, 6))},
}


@dataclass(frozen=True)
class Template:
    """The prompts for absolute grading: system message, with and without a reference answer, rubric."""

    system: str
    with_reference: str
    without_reference: str
    rubric: str

    def messages(self, values: Mapping[str, str], rubric: Mapping[str, str]) -> tuple[Message, ...]:
        """Fill in the template; without a `reference_answer` among the values, the one that has none."""
        template = self.with_reference if "reference_answer" in values else self.without_reference
        text = template.format(**values, rubric=self.rubric.format(**rubric))
        return (Message(role="system", content=self.system), Message(role="user", content=text))


def read_template(path: Path | str) -> Template:
    """Read the prompts from the pinned wheel, or from a file of the same form.

    Parameters
    ----------
    path
        A wheel (its digest is checked), or a Python file that assigns the four prompts to the names that the
        package uses. It is parsed, never imported.

    Raises
    ------
    UserError
        If the file is missing, is another wheel, or lacks a prompt; names the prompt and its placeholders.
    """
    path = Path(path)
    found = _assigned_texts(_source(path), path)
    problems = []
    for name, fields in _FIELDS.items():
        if name not in found:
            problems.append(f"{name} is not assigned a text")
        elif _placeholders(found[name]) != fields:
            wanted = ", ".join(f"{{{field}}}" for field in sorted(fields)) or "none"
            problems.append(f"{name} must have these placeholders: {wanted}")
    if problems:
        raise UserError(f"{path} does not hold Prometheus-2's prompts: {'; '.join(problems)}.")
    return Template(*(found[name] for name in _FIELDS))


@functools.cache
def read_rubric(path: Path) -> dict[str, str]:
    """Read a metric's rubric: `criterion`, and under `levels` a description for each of 1 to 5.

    Returns
    -------
    dict
        The placeholders of the package's rubric template.

    Raises
    ------
    DataError
        If the file is missing or lacks a level.
    """
    try:
        data: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}).", path) from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"is not valid YAML ({error}).", path) from None
    levels = data.get("levels") if isinstance(data, dict) else None
    found = {"criteria": data.get("criterion") if isinstance(data, dict) else None}
    for level in range(1, 6):
        found[f"score{level}_description"] = levels.get(level) if isinstance(levels, dict) else None
    texts = {key: text.strip() for key, text in found.items() if isinstance(text, str) and text.strip()}
    if len(texts) < len(found):
        raise DataError("needs `criterion` (a text) and `levels` with a text for each of 1 to 5.", path)
    return texts


def _source(path: Path) -> str:
    if path.suffix == ".whl":
        with open_wheel(WHEELS["prometheus_eval"], path) as archive:
            return _member(archive)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the file of Prometheus-2's prompts cannot be read ({error}).") from None


def _member(archive: zipfile.ZipFile) -> str:
    return archive.read(MEMBER).decode("utf-8")


def _assigned_texts(source: str, path: Path) -> dict[str, str]:
    """Give the texts that a module assigns to names at its top level, also as `"...".strip()`."""
    try:
        module = ast.parse(source)
    except SyntaxError as error:
        raise UserError(f"{path}, line {error.lineno}: is not Python ({error.msg}).") from None
    texts = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            text = _text_of(statement.value)
            if text is not None:
                texts[statement.targets[0].id] = text
    return texts


def _text_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "strip":
        inner = _text_of(node.func.value)
        return None if inner is None else inner.strip()
    return None


def _placeholders(text: str) -> set[str] | None:
    """Give the placeholders of a format string; None if it is none, or one with more than plain names."""
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return None
    if any(spec or conversion for _, field, spec, conversion in parts if field is not None):
        return None
    return {field for _, field, _, _ in parts if field is not None}
