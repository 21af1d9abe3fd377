"""A user's own records, in plumbline's format (docs/formats.md)."""

from __future__ import annotations

from pathlib import Path

from plumbline.corpora.checks import check_records
from plumbline.corpora.reading import Reading
from plumbline.corpora.starter import refuse_problems
from plumbline.corpora.topology import label_mismatch, topology_of
from plumbline.records import DataError, Record, read_json_lines
from plumbline.records.model import Topology


class _Local(Record):
    """A record whose topology may be left to the edges."""

    topology: Topology = "other"


def read_local(path: Path | str, *, strict: bool = False, computed: bool = False) -> Reading:
    """Read a file of records.

    Parameters
    ----------
    path
        JSON Lines, one record a line; `topology` may be left out and is then computed.
    strict
        A label that contradicts the edges is an error, as it is in our own corpus; else it is counted.
    computed
        Use the topology of the edges even where there is a label.

    Raises
    ------
    DataError
        If a line is no record, or there is none.
    UserError
        If records fail the structural check; all problems are listed.
    """
    reading = Reading()
    for item in read_json_lines(path, _Local):
        data = dict(item)
        if computed or "topology" not in item.model_fields_set:
            data["topology"] = topology_of(item.expected_calls)
        record = Record.model_construct(**data)
        mismatch = label_mismatch(record)
        if mismatch:
            reading.mismatches.append((record.id, record.topology, mismatch))
        reading.records.append(record)
    if not reading.records:
        raise DataError("holds no record; write one JSON object a line.", path)
    problems = check_records(reading.records)
    refuse_problems(
        [problem for problem in problems if strict or problem.code != "topology_label"], str(path)
    )
    return reading
