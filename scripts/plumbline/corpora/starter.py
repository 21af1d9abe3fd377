"""The corpus that plumbline ships: one YAML file a domain, in `resources/starter`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from plumbline.corpora.checks import check_provenance, check_records
from plumbline.corpora.problems import Problem
from plumbline.corpora.reading import Reading
from plumbline.records import DataError, ExpectedCall, Queries, Record, Tool, UserError
from plumbline.records.model import Topology

FOLDER = Path("resources/starter")


class _Loader(yaml.SafeLoader):
    """YAML in which a date is text, as it is in JSON."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Task(_Entry):
    """A record as written by hand: all tools of its domain, but for those left out."""

    id: str
    topology: Topology
    leave_out: list[str] = Field(default_factory=list)
    queries: Queries
    calls: list[ExpectedCall]


class _Domain(_Entry):
    domain: str
    tools: list[Tool]
    records: list[_Task]


def read_starter(folder: Path | str = FOLDER) -> Reading:
    """Read the starter corpus.

    Parameters
    ----------
    folder
        YAML files ``{domain, tools: [{name, description, parameters, returns}], records: [{id, topology,
        leave_out, queries: {easy, medium, hard}, calls: [{id, name, description, arguments, needs,
        returns}]}]}``.

    Raises
    ------
    UserError
        If a file cannot be read, or if a record fails the structural check, contradicts its topology label,
        or has a value without a source; all problems are listed.
    """
    paths = sorted(Path(folder).glob("*.yaml"))
    if not paths:
        raise UserError(f"{folder} holds no YAML file; the starter corpus is one file a domain there.")
    records = [record for path in paths for record in _records(path)]
    refuse_problems(check_records(records) + check_provenance(records), str(folder))
    return Reading(records)


def refuse_problems(problems: list[Problem], where: str) -> None:
    """Stop with a list of all problems, if there are any.

    Raises
    ------
    UserError
        Names the place, then each problem on a line of its own.
    """
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise UserError(f"{where}: {len(problems)} problems in the records.\n{lines}")


def _records(path: Path) -> list[Record]:
    try:
        data: Any = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506, a safe loader
        domain = _Domain.model_validate(data)
    except yaml.YAMLError as error:
        raise DataError(f"is not YAML ({' '.join(str(error).split())}).", path) from None
    except ValidationError as error:
        _refuse(error, path)
    known = {tool.name for tool in domain.tools}
    records = []
    for task in domain.records:
        unknown = sorted(set(task.leave_out) - known)
        if unknown:
            raise DataError(
                f"`leave_out` names {', '.join(unknown)}, no tool of this file.", path, None, task.id
            )
        try:
            records.append(_record(domain, task))
        except ValidationError as error:
            _refuse(error, path, task.id)
    return records


def _record(domain: _Domain, task: _Task) -> Record:
    return Record(
        id=task.id,
        source="starter",
        domain=domain.domain,
        topology=task.topology,
        queries=task.queries,
        tools=tuple(tool for tool in domain.tools if tool.name not in task.leave_out),
        expected_calls=tuple(task.calls),
    )


def _refuse(error: ValidationError, path: Path, record: str | None = None) -> NoReturn:
    found = "; ".join(
        f"`{'.'.join(map(str, entry['loc']))}` {entry['msg'].removeprefix('Value error, ')}"
        for entry in error.errors()[:5]
    )
    raise DataError(f"{found}.", path, None, record) from None
