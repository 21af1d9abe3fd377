"""Which settings stand where: the sections of a configuration, found by key."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from plumbline.config.settings import RunConfig
from plumbline.config.yaml_files import Key


def fields_at(key: Key, data: Any = None) -> dict[str, FieldInfo]:
    """Give the settings of the section at a key, by name; none if no section stands there.

    Parameters
    ----------
    key
        Names of sections from the root; an entry of a named collection (`judges.qwq`) counts as one.
    data
        The configuration as written; its `kind` decides which source a section of `corpus.sources` is.
    """
    here: Any = RunConfig
    for part in key:
        data = data.get(part) if isinstance(data, Mapping) else None
        section = section_class(here, None)
        if section is not None:
            field = section.model_fields.get(str(part))
            here = None if field is None else field.annotation
        else:
            here = entry_class(here)
    section = section_class(here, data.get("kind") if isinstance(data, Mapping) else None)
    return {} if section is None else dict(section.model_fields)


def section_class(annotation: Any, kind: Any) -> type[BaseModel] | None:
    """Give the section that an annotation holds; of several sources the one of this `kind`."""
    for choice in choices_of(annotation):
        if isinstance(choice, type) and issubclass(choice, BaseModel):
            field = choice.model_fields.get("kind")
            if field is None or kind in get_args(field.annotation):
                return choice
    return None


def entry_class(annotation: Any) -> Any:
    """Give what a named collection (`dict[Slug, Judge]`) holds; None if it is no such collection."""
    return get_args(annotation)[1] if get_origin(annotation) is dict else None


def choices_of(annotation: Any) -> list[Any]:
    """Give the alternatives of a union, without annotations; any other type alone."""
    if get_origin(annotation) is Annotated:
        return choices_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [choice for arm in get_args(annotation) for choice in choices_of(arm)]
    return [annotation]
