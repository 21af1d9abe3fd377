"""Tool names that model APIs accept, and the way back to the names of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plumbline.records import Record

ACCEPTED = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What the APIs of models accept as the name of a tool."""


def alias_names(names: Iterable[str]) -> dict[str, str]:
    """Give each name one that model APIs accept.

    Accepted names stay. In the others each refused character becomes `_`, the name is cut at 64 characters,
    and if that is taken already it ends in `_2`, `_3`, ... No two names share an alias.

    Parameters
    ----------
    names
        All tool names that may meet in one record.

    Returns
    -------
    dict
        Name of the source -> alias; independent of the order of `names`.
    """
    wanted = sorted(set(names))
    aliases = {name: name for name in wanted if ACCEPTED.fullmatch(name)}
    taken = set(aliases)
    for name in wanted:
        if name in aliases:
            continue
        base = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"
        alias, turn = base, 1
        while alias in taken:
            turn += 1
            ending = f"_{turn}"
            alias = base[: 64 - len(ending)] + ending
        aliases[name] = alias
        taken.add(alias)
    return aliases


def original_names(record: Record) -> dict[str, str]:
    """Give, for each tool of a record, the name that its source uses.

    Records carry aliases everywhere (tools, expected calls, so prompts and plans too); `Tool.original_name`
    keeps the name of the source where it differs.
    """
    return {tool.name: tool.original_name or tool.name for tool in record.tools}
