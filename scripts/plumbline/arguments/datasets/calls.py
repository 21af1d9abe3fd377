"""The proposed calls of a data set, as the configuration says who made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.controlled import controlled_calls
from plumbline.arguments.datasets.local import read_local_calls
from plumbline.arguments.datasets.periods import Periods
from plumbline.arguments.datasets.wrong_calls import proposed_calls
from plumbline.config.argument_datasets import (
    ArgumentDataset,
    CfbDataset,
    FcrbDataset,
    FintraceDataset,
    LocalDataset,
    TaubenchDataset,
    WithRules,
)
from plumbline.records.arguments import Proposal, ProposedCall, State
from plumbline.records.errors import UserError


def build_calls(
    dataset: ArgumentDataset,
    states: Sequence[State],
    proposals: Sequence[Proposal],
    seed: int,
    base: BaseData | None = None,
    *,
    files: Mapping[str, Path] | None = None,
    account: Account | None = None,
) -> list[ProposedCall]:
    """Put together the correct and wrong calls of a data set.

    Parameters
    ----------
    dataset
        Its settings: rules, proposers, files.
    states
        Its states, as `build_states` gave them.
    proposals
        What its proposers answered.
    seed
        Seed of the run; rules have the seed of the data set (D6).
    base
        For a set that is made of another one: the finished data of that.
    files
        For a user's own data: the file of calls under ``calls``, in place of the settings' path.
    account
        Receives what was kept, left out and why.

    Returns
    -------
    list of ProposedCall
        With the label of each argument. Where wrong calls are made or imported, a correct call is kept only
        beside a wrong one; tau-bench's correct calls are data of their own.

    Raises
    ------
    UserError, DataError
        If the calls of a user's file are not of the states, the base is missing, or there is no call at all.
    """
    account = account or Account()
    match dataset:
        case LocalDataset():
            path = (files or {}).get("calls", Path(dataset.calls))
            return read_local_calls(states[0].dataset, path, states, account)
        case CfbDataset() | FcrbDataset() | FintraceDataset():
            paired = has_wrong_calls(dataset)
            later = dataset.later_gold if isinstance(dataset, CfbDataset) else "none"
            calls = proposed_calls(
                states,
                proposals,
                dataset.rules,
                dataset.seed,
                account,
                paired=paired,
                later_gold=later,
                periods=Periods.of(dataset.synonyms if isinstance(dataset, FintraceDataset) else None),
            )
        case TaubenchDataset():
            # a write call that comes too early is no wrong value
            calls = proposed_calls(states, proposals, (), seed, account, paired=False, later_gold="all")
        case _:
            calls = controlled_calls(dataset, states, base)
    if not calls:
        told = "; ".join(account.lines())
        raise UserError(
            f"No call of the {len(states)} states of {dataset.kind} can be judged: {told}. "
            "Name other `rules` or `proposers`, or a larger `count`."
        )
    return calls


def has_wrong_calls(dataset: WithRules) -> bool:
    """Whether the settings name any source of wrong calls: rules, proposers, or others' calls."""
    sources = (getattr(dataset, name, None) for name in ("rules", "proposers", "trajectories"))
    return any(sources) or (isinstance(dataset, FcrbDataset) and dataset.path is not None)
