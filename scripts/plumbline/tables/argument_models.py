"""Judges and deriver of the DeRef paper (D49)."""

from __future__ import annotations

from plumbline.tables.argument_estimates import table_of
from plumbline.tables.argument_inputs import ArgumentInputs
from plumbline.tables.published import published
from plumbline.tables.result import Column, TableResult

ROLES = ("argument_judge", "deriver")


def models_table(inputs: ArgumentInputs) -> TableResult:
    """List the paper's models and settings (Table 11, D49), and what this run calls by the same name.

    Returns
    -------
    TableResult
        `role`, `slug`, `name`, `identifier`, `size`, `settings`, `here` (model of this run's judge of that
        name).
    """
    rows = []
    for entry in published("models").to_dict("records"):
        if entry["role"] not in ROLES:
            continue
        judge = inputs.arguments.judges.get(entry["slug"])
        here = None if judge is None or judge.model is None else inputs.config.models[judge.model]
        named = None if here is None else here.model or judge.model if judge else None
        rows.append(
            {
                "role": entry["role"].replace("_", " "),
                **{name: entry[name] or None for name in ("slug", "name", "identifier", "size")},
                "size_reason": None if entry["size"] else "not stated",
                "settings": entry["decoding_stated_in_text"],
                "here": named,
                "here_reason": None if named else "no judge of this name in the run",
            }
        )
    columns = {
        "role": Column("Role"),
        "slug": Column("Slug", help="Name in configurations and tables here."),
        "name": Column("Model"),
        "identifier": Column("Identifier"),
        "size": Column("Size"),
        "settings": Column("Settings in the text"),
        "here": Column("Here", help="Model of this run's judge of that name."),
    }
    return table_of(rows, columns, ("The paper trains nothing and searches no settings (D49).",))
