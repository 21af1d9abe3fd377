"""ComplexFuncBench's gold states with full returns (D5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.cfb_original import read_tasks, return_text, task_states
from plumbline.arguments.datasets.sampling import drawn_queries
from plumbline.arguments.datasets.trajectories import read_trajectories, with_trajectories
from plumbline.corpora.complexfuncbench import read_complexfuncbench
from plumbline.records.arguments import HistoryCall, State, Turn
from plumbline.records.errors import DataError
from plumbline.records.model import Record, ToolCall


def read_cfb(
    name: str, wheel: Path, trajectories: Path | None, count: int | None, seed: int, account: Account
) -> list[State]:
    """Read the gold states of ComplexFuncBench from its converted copy.

    Parameters
    ----------
    name
        The data set's name in the run.
    wheel
        The pinned `nestful-wrapper` wheel.
    trajectories
        Other models' trajectories in the layout of the benchmark's results; their wrong calls join the
        states.
    count, seed
        Tasks that are drawn, and the seed of the run.
    account
        Receives what was kept, left out and why.

    Returns
    -------
    list of State
        One for each gold call. Its history is the request and all gold calls before it, with full
        returns; `query_id` is the task (C-D23).

    Raises
    ------
    UserError, DataError
        If the wheel or the trajectories cannot be read.

    Notes
    -----
    Item D5. The wheel holds a converted copy, which lost two things. Which calls were made in parallel: each
    call is a step of its own, and a call that the original made beside others is judged after them. Which
    functions a task offered: the task's own functions are offered among others of the benchmark, 8 to 19 in
    all, as on the plan side. `read_original_cfb` reads the benchmark itself.
    """
    reading = read_complexfuncbench(wheel, seed=seed)
    for identifier, reason in reading.skipped:
        account.drop("tasks whose gold calls contradict the functions", f"{identifier}: {reason[:200]}")
    drawn = drawn_queries((record.id for record in reading.records), count, seed, name)
    records = [record for record in reading.records if record.id in drawn]
    account.count("tasks", len(records))
    states = [state for record in records for state in record_states(name, record)]
    account.count("states", len(states))
    if trajectories is None:
        return states
    return with_trajectories(states, read_trajectories(trajectories, account), account)


def read_original_cfb(
    name: str, path: Path, trajectories: Path | None, count: int | None, seed: int, account: Account
) -> list[State]:
    """Read the gold states of ComplexFuncBench as it was released.

    Parameters
    ----------
    path
        The released file, see `cfb_original.read_tasks`.
    name, trajectories, count, seed, account
        As in `read_cfb`.

    Returns
    -------
    list of State
        One for each step, that is each assistant message with calls: its parallel calls are gold together,
        its history is all that came before the step, and the functions are those of the task.

    Raises
    ------
    DataError
        If the file or the trajectories cannot be read, or the file holds no task.

    Notes
    -----
    Item D5; `query_id` is the task (C-D23).
    """
    tasks = read_tasks(path, account)
    if not tasks:
        raise DataError("holds no task. " + "; ".join(account.lines()), path)
    drawn = drawn_queries((task.identifier for task in tasks), count, seed, name)
    kept = [task for task in tasks if task.identifier in drawn]
    account.count("tasks", len(kept))
    states = [state for task in kept for state in task_states(name, task)]
    account.count("states", len(states))
    if trajectories is None:
        return states
    others = read_trajectories(trajectories, account)
    return with_trajectories(states, others, account, steps_known=True)


def record_states(name: str, record: Record) -> Iterator[State]:
    """Give a state for each expected call of a record, with the gold history before it.

    Parameters
    ----------
    name
        The data set's name.
    record
        With `returns` of its expected calls where there are any; returns that are no text are written as
        JSON.
    """
    turns: list[Turn] = [Turn(role="user", text=record.queries.easy)]
    for call in record.expected_calls:
        gold = ToolCall(name=call.name, arguments=call.arguments)
        yield State(
            state_id=f"{name}.{record.id}.{call.id}",
            query_id=record.id,
            dataset=name,
            turns=tuple(turns),
            functions=record.tools,
            gold=(gold,),
        )
        made = HistoryCall(name=call.name, arguments=call.arguments, returns=return_text(call.returns))
        turns.append(Turn(role="assistant", calls=(made,)))
