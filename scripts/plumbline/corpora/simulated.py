"""Records made up by a rule: right in shape and size, and about nothing."""

from __future__ import annotations

import csv
from pathlib import Path

from plumbline.records import TOPOLOGIES, DataError, ExpectedCall, Queries, Record, Tool
from plumbline.records.model import Topology

INVENTORY = 6
"""Tools that each record offers."""

CALLS = (4, 5, 6)
"""Numbers of expected calls, taking turns within a topology."""


def simulated_records(count: int, shares: Path) -> list[Record]:
    """Make records whose topologies are as frequent as a file says.

    Parameters
    ----------
    count
        How many.
    shares
        CSV with the columns `topology` and `records`; rows of other names than the paper's six are left out.

    Returns
    -------
    list of Record
        Valid records with 4 to 6 calls among 6 tools; equal arguments give equal records.

    Raises
    ------
    DataError
        If the file cannot be read or names none of the six topologies.
    """
    return [
        _record(topology, number)
        for topology, size in _sizes(count, _read_shares(shares)).items()
        for number in range(size)
    ]


def _read_shares(path: Path) -> dict[Topology, int]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = {row["topology"]: int(row["records"]) for row in csv.DictReader(stream)}
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"needs the columns topology and records, whole numbers ({error}).", path) from None
    known: dict[Topology, int] = {name: rows[name] for name in TOPOLOGIES if rows.get(name, 0) > 0}  # type: ignore[misc]
    if not known:
        raise DataError(f"names none of the topologies {', '.join(TOPOLOGIES)}.", path)
    return known


def _sizes(count: int, shares: dict[Topology, int]) -> dict[Topology, int]:
    """Split a count in proportion; what rounding leaves over goes to the largest remainders."""
    total = sum(shares.values())
    sizes = {name: count * share // total for name, share in shares.items()}
    rest = sorted(shares, key=lambda name: -(count * shares[name] % total))
    for name in rest[: count - sum(sizes.values())]:
        sizes[name] += 1
    return sizes


def _record(topology: Topology, number: int) -> Record:
    length = CALLS[number % len(CALLS)]
    tools = [_tool(place) for place in range(INVENTORY)]
    names = [tool.name for tool in tools[:length]]
    if topology == "loop_like":
        names[-1] = names[-2]
    calls = tuple(
        ExpectedCall(
            id=f"s{place + 1}",
            name=name,
            arguments={"target": f"item {number}", "mode": "plain"},
            returns={"target": f"item {number}"},
            needs=tuple(f"s{source + 1}" for source in _sources(topology, place, length)),
        )
        for place, name in enumerate(names)
    )
    words = f"simulated {topology.replace('_', ' ')} record {number}"
    return Record(
        id=f"{topology}_{number:04}",
        source="simulated",
        domain="simulated",
        topology=topology,
        queries=Queries(easy=f"{words}, easy", medium=f"{words}, medium", hard=f"{words}, hard"),
        tools=tuple(tools),
        expected_calls=calls,
    )


def _tool(place: int) -> Tool:
    text = {"type": "string"}
    return Tool(
        name=f"step_{place + 1}",
        description="A tool of a simulated record.",
        parameters={
            "type": "object",
            "properties": {"target": text, "mode": text},
            "required": ["target", "mode"],
        },
    )


def _sources(topology: Topology, place: int, length: int) -> list[int]:
    """Positions of the calls that the call at `place` needs."""
    if topology == "fan_in":
        return list(range(length - 1)) if place == length - 1 else []
    if place == 0:
        return []
    if topology == "fan_out":
        return [0]
    if topology == "diamond":
        return list(range(1, length - 1)) if place == length - 1 else [0]
    if topology == "optional_enrichment" and place == length - 1:
        return []
    return [place - 1]
