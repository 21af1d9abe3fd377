"""YAML files read strictly (no key twice), with the line of every key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from plumbline.records.errors import UserError

Key = tuple[str | int, ...]
"""Where a setting stands: names of sections, positions in lists (from 0)."""


@dataclass
class YamlFile:
    """A YAML file: its data, and the line (from 1) on which each key or list entry stands."""

    path: Path
    data: Any = None
    lines: dict[Key, int] = field(default_factory=dict)
    repeated: list[tuple[Key, int, int]] = field(default_factory=list)


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML file.

    Raises
    ------
    UserError
        If the file is missing, is no UTF-8, is no YAML, or has a key twice; names the file and the lines.
    """
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        found = YamlFile(path, yaml.safe_load(text))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError(f"{path}{line}: is not valid YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: is not valid YAML: {error}") from None
    if root is not None:
        _visit(root, (), found, frozenset())
    if found.repeated:
        raise UserError(
            "\n".join(
                f"{path}, line {second}: {dotted(key)} stands twice (first on line {first}); keep one."
                for key, first, second in found.repeated
            )
        )
    return found


def locate(files: Sequence[YamlFile], key: Key) -> str:
    """Say where a key stands, as `FILE, line N`; the last file that has it wins, as it does in a run.

    A key that no file has is placed at the nearest section above it that one has; empty if there is none.
    """
    for length in range(len(key), 0, -1):
        for file in reversed(files):
            line = file.lines.get(key[:length])
            if line is not None:
                return f"{file.path}, line {line}"
    return str(files[-1].path) if files else ""


def dotted(key: Key) -> str:
    """Write a key as `judges.qwq.decoding`; positions in lists are left out."""
    return ".".join(part for part in key if isinstance(part, str))


def _visit(node: yaml.Node, key: Key, found: YamlFile, above: frozenset[int]) -> None:
    if id(node) in above:  # an alias inside its own anchor
        return
    above |= {id(node)}
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for name, value in node.value:
            inner = (*key, str(name.value))
            line = found.lines[inner] = name.start_mark.line + 1
            if str(name.value) in seen and name.tag != "tag:yaml.org,2002:merge":
                found.repeated.append((inner, seen[str(name.value)], line))
            seen.setdefault(str(name.value), line)
            _visit(value, inner, found, above)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            found.lines[(*key, position)] = value.start_mark.line + 1
            _visit(value, (*key, position), found, above)
