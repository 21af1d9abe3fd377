"""The configuration's JSON Schema and its reference, written from the typed settings.

`python -m plumbline.config.documentation` writes both; a test fails when they lag behind.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from plumbline.config.outline import choices_of, entry_class
from plumbline.config.settings import RunConfig
from plumbline.records.files import write_text

HEAD = """\
# Every setting of a run, its meaning and its default. Made by `python -m plumbline.config.documentation`.
# A setting marked (required) has no default. NAME is a name of your own: lower-case letters, digits and
# underscores. Editors that know YAML schemas check a file that begins with the line
#     # yaml-language-server: $schema=schema.json
"""


def schema_text() -> str:
    """Give the JSON Schema of a configuration file, as written to config/schema.json."""
    schema = RunConfig.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def reference_text() -> str:
    """Give the reference of all settings as a YAML file, as written to config/reference.yaml."""
    return HEAD + "\n".join(_section_lines(RunConfig, 0)) + "\n"


def _section_lines(section: type[BaseModel], depth: int) -> Iterator[str]:
    for name, field in section.model_fields.items():
        if depth == 0:
            yield ""
        yield from _comment(field, depth)
        yield from _setting_lines(name, field, depth)


def _setting_lines(name: str, field: FieldInfo, depth: int) -> Iterator[str]:
    """Give a setting's line, or for a section or a named collection the lines of what is in it."""
    margin = "  " * depth
    entry = entry_class(field.annotation)
    sections = [kind for kind in choices_of(entry or field.annotation) if _is_section(kind)]
    if not sections:
        yield f"{margin}{name}: {_default(field)}"
    elif entry is not None:
        yield f"{margin}{name}:"
        for section in sections:
            kind = section.model_fields.get("kind")
            yield from _wrapped(_first_line(section), depth + 1)
            yield f"{margin}  NAME{'' if kind is None else '_' + get_args(kind.annotation)[0]}:"
            yield from _section_lines(section, depth + 2)
    elif all(inner.default is None for inner in sections[0].model_fields.values()):
        yield from _wrapped(f"Keys: {', '.join(sections[0].model_fields)}.", depth)
        yield f"{margin}{name}: {{}}"
    else:
        if field.default is None:
            yield f"{margin}# Null by default; as a section:"
        yield f"{margin}{name}:"
        yield from _section_lines(sections[0], depth + 1)


def _comment(field: FieldInfo, depth: int) -> Iterator[str]:
    text = " ".join((field.description or "").split())
    if field.is_required():
        text = f"(required) {text}"
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    if len(choices) > 1:
        text += f" One of {', '.join(choices)}."
    yield from _wrapped(text, depth)


def _wrapped(text: str, depth: int) -> list[str]:
    margin = "  " * depth + "# "
    return textwrap.wrap(text, 108, initial_indent=margin, subsequent_indent=margin)


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _default(field: FieldInfo) -> str:
    default: Any = field.get_default(call_default_factory=True)
    if default is PydanticUndefined:
        choices = get_args(field.annotation)
        example = choices[0] if choices and isinstance(choices[0], str) else "..."
        default = ["..."] if get_origin(field.annotation) is list else example
    return yaml.safe_dump(default, default_flow_style=True, width=10_000).removesuffix("...\n").strip()


def _first_line(section: type[BaseModel]) -> str:
    return (section.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")


@click.command()
@click.option(
    "--folder", type=click.Path(path_type=Path), default=Path("config"), help="Where both files go."
)
def main(folder: Path) -> None:
    """Write schema.json and reference.yaml."""
    write_text(schema_text(), folder / "schema.json")
    write_text(reference_text(), folder / "reference.yaml")


if __name__ == "__main__":
    main()
