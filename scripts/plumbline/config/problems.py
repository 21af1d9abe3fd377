"""What is wrong with a configuration, said so that a user can mend it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from plumbline.config.argument_datasets import ArgumentDataset
from plumbline.config.argument_references import ArgumentReference
from plumbline.config.checks import UnknownNamesError
from plumbline.config.corpus import Source
from plumbline.config.outline import choices_of, fields_at
from plumbline.config.settings import MadeReference
from plumbline.config.yaml_files import Key, YamlFile, dotted, locate

EXPECTED = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "text (put it in quotes)",
    "list_type": "a list",
    "dict_type": "a section (NAME: VALUE lines)",
    "model_type": "a section (NAME: VALUE lines)",
    "model_attributes_type": "a section (NAME: VALUE lines)",
}
"""What a setting of the wrong type should have been, by pydantic's error type."""

LIMITS = {
    "greater_than_equal": ("ge", "at least {}"),
    "greater_than": ("gt", "more than {}"),
    "less_than_equal": ("le", "at most {}"),
    "less_than": ("lt", "less than {}"),
    "too_short": ("min_length", "a list with at least {} entries"),
    "too_long": ("max_length", "a list with at most {} entries"),
}

SLUG_RULE = "a name of lower-case letters, digits and underscores (60 at most), since it stands in paths"

ABSENT: Any = object()


@dataclass(frozen=True)
class Problem:
    """One thing to mend: the key, what is wrong, and (if it can be said) the setting as it should be."""

    key: Key
    message: str
    right_key: Key | None = None
    right_value: Any = None

    def told(self, files: Sequence[YamlFile]) -> str:
        """Write the problem with its file and line, and below it the lines as they should be."""
        where = locate(files, self.key)
        text = " ".join(part for part in (f"{where}:" if where else "", self.message) if part)
        if self.right_key is None:
            return text
        value = self.right_value
        for part in reversed(self.right_key):
            value = {part: value}
        lines = yaml.safe_dump(value, sort_keys=False, allow_unicode=True).splitlines()
        return "\n".join([text, *("    " + line for line in lines)])


def problems_of(error: ValidationError, data: Any) -> list[Problem]:
    """Turn everything that pydantic found into problems, one for each setting.

    Parameters
    ----------
    error
        From validating `data` as a `RunConfig`.
    """
    found: dict[Key, Problem] = {}
    for entry in error.errors():
        cause = entry.get("ctx", {}).get("error")
        if isinstance(cause, UnknownNamesError):
            for name in cause.problems:
                found[name.key] = _misnamed(name.key, str(name), name.nearest, data)
            continue
        if entry["loc"] and str(entry["loc"][-1]).startswith("list[") and entry["type"] == "list_type":
            continue  # `all` or a list: the other branch of the union tells it
        if str(entry["loc"][-1:]).count("literal['all']") and isinstance(entry["input"], list):
            continue
        key, bad_key = _key_of(entry["loc"])
        found.setdefault(key, _problem(entry, key, bad_key, data))
    # a misspelt key explains why the right one is missing
    spelt = {problem.right_key for problem in found.values() if problem.right_key != problem.key}
    return [problem for problem in found.values() if problem.key not in spelt]


def value_at(data: Any, key: Key) -> Any:
    """Give the value at a key, or `ABSENT`."""
    for part in key:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return data


def _key_of(loc: tuple[str | int, ...]) -> tuple[Key, bool]:
    """Give the setting that pydantic means, without the names of union branches; is its name at fault."""
    bad_key = bool(loc) and loc[-1] == "[key]"
    if bad_key:
        loc = loc[:-1]
    if loc[:2] == ("corpus", "sources") and len(loc) > 3:
        loc = loc[:3] + loc[4:]  # the source's kind
    if loc[:1] == ("references",) and len(loc) > 2:
        loc = loc[:2] + loc[3:]  # the reference's kind
    if loc[:1] == ("arguments",) and loc[1:2] in (("datasets",), ("references",)) and len(loc) > 4:
        loc = loc[:3] + loc[4:]  # the kind of the data set or reference
    key = tuple(part for part in loc if not (isinstance(part, str) and "[" in part))
    return key, bad_key


def _problem(entry: ErrorDetails, key: Key, bad_key: bool, data: Any) -> Problem:
    name = dotted(key)
    kind = entry["type"]
    if bad_key:
        return _bad_name(key, entry["input"])
    if kind == "extra_forbidden":
        return _unknown_setting(key, entry["input"], data)
    field = fields_at(key[:-1], data).get(str(key[-1])) if key else None
    if kind == "missing":
        meaning = f": {field.description}" if field is not None and field.description else "."
        return Problem(key, f"{name} is missing{meaning}")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _unknown_kind(key, entry["input"], data)
    if kind == "value_error":
        return Problem(key, f"{name} {entry['msg'].removeprefix('Value error, ')}.".lstrip())
    if key[-1:] == ("api_key_env",):  # it may be the key, which must not be printed
        return Problem(
            key,
            f"{name} is not the name of an environment variable. Write the variable's name, for instance "
            "MY_API_KEY; the key itself belongs in no file.",
        )
    expected, near = _expected(entry)
    message = f"{name or 'the configuration'} is {_shown(entry['input'])}; it must be {expected}."
    if near is not None:
        return Problem(key, f"{message} Did you mean `{near}`?", *_mended(key, near, data))
    if field is not None and _plain_default(field) is not None:
        return Problem(key, f"{message} The default:", key, _plain_default(field))
    return Problem(key, message)


def _bad_name(key: Key, name: Any) -> Problem:
    """Explain a name that cannot stand in a path, or that YAML does not read as text (1, yes, null)."""
    told = f"{dotted(key[:-1])}: the name {_shown(name)}"
    if not isinstance(name, str):
        return Problem(key, f"{told} is not text for YAML; put it in quotes, or choose {SLUG_RULE}.")
    slug = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:60]
    return Problem(key, f"{dotted(key)} is not {SLUG_RULE}." + (f" Write `{slug}`." if slug else ""))


def _expected(entry: ErrorDetails) -> tuple[str, str | None]:
    """Say what a setting must be, and the nearest legal value if there is one."""
    kind, ctx = entry["type"], entry.get("ctx", {})
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", str(ctx["expected"]))
        if entry["loc"] and "literal['all']" in str(entry["loc"][-1]):
            return "`all` or a list of names", None
        return f"one of {_listed(choices)}", _near(entry["input"], choices)
    if kind == "string_pattern_mismatch":
        slug = str(ctx.get("pattern")).startswith("^[a-z0-9_]")
        return (SLUG_RULE if slug else f"text that matches {ctx.get('pattern')}"), None
    if kind == "too_short" and isinstance(entry["input"], Mapping):
        return "a section with at least one entry", None
    if kind in LIMITS:
        limit, words = LIMITS[kind]
        return words.format(ctx[limit]), None
    return EXPECTED.get(kind, f"something else ({entry['msg']})"), None


def _unknown_kind(key: Key, source: Any, data: Any) -> Problem:
    union: Any = MadeReference if key[0] == "references" else Source
    if key[0] == "arguments":
        union = ArgumentDataset if key[1] == "datasets" else ArgumentReference
    kinds = [
        kind for choice in choices_of(union) for kind in get_args(choice.model_fields["kind"].annotation)
    ]
    given = source.get("kind") if isinstance(source, Mapping) else None
    near = _near(given, kinds)
    key = (*key, "kind")
    message = f"{dotted(key)} is {_shown(given)}; it must be one of {_listed(kinds)}."
    if near is None:
        return Problem(key, message)
    return Problem(key, f"{message} Did you mean `{near}`?", *_mended(key, near, data))


def _unknown_setting(key: Key, value: Any, data: Any) -> Problem:
    """Explain a key that no section has: the nearest setting here or one level down, or all of them."""
    known = fields_at(key[:-1], data)
    paths: dict[str, list[Key]] = {}
    for name in known:
        paths.setdefault(name, []).append((name,))
    for name in known:
        for inner in fields_at((*key[:-1], name), data):
            paths.setdefault(inner, []).append((name, inner))
    near = difflib.get_close_matches(str(key[-1]), list(paths), n=1)
    message = f"{dotted(key)} is not a setting."
    if not near:
        return Problem(key, f"{message} Settings here: {', '.join(known) or 'none'}.")
    right = paths[near[0]][0]
    return Problem(key, f"{message} Did you mean `{dotted(right)}`?", (*key[:-1], *right), value)


def _misnamed(key: Key, message: str, near: str | None, data: Any) -> Problem:
    return Problem(key, message) if near is None else Problem(key, message, *_mended(key, near, data))


def _mended(key: Key, right: str, data: Any) -> tuple[Key, Any]:
    """Give the setting with the right value in place; a list is given whole."""
    if not isinstance(key[-1], int):
        return key, right
    entries = list(value_at(data, key[:-1]))
    entries[key[-1]] = right
    return key[:-1], entries


def _near(value: Any, choices: list[str]) -> str | None:
    return next(iter(difflib.get_close_matches(str(value), choices, n=1)), None)


def _listed(choices: list[str]) -> str:
    return ", ".join(f"`{choice}`" for choice in choices)


def _shown(value: Any) -> str:
    if isinstance(value, BaseModel | Mapping):
        return "an empty section" if value == {} else "a section"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, date) else f"{value!r:.60}".replace("'", '"')


def _plain_default(field: FieldInfo) -> Any:
    """Give a default that can stand in a line of YAML, or None."""
    default = field.default
    if default is PydanticUndefined or not isinstance(default, bool | int | float | str | list):
        return None
    return default
