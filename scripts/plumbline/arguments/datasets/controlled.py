"""The controlled sets: relocated values, FinTrace-HC, reveal and placebo, each made of another data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.hc import hc_calls, hc_states
from plumbline.arguments.datasets.relocate import relocated_calls, relocated_states
from plumbline.arguments.datasets.reveal import reveal_calls, reveal_states
from plumbline.config.argument_datasets import HcDataset, RelocateDataset, RevealDataset
from plumbline.records.arguments import ProposedCall, RelocatedRequest, State
from plumbline.records.errors import UserError
from plumbline.records.files import read_json_lines

ControlledDataset = RelocateDataset | HcDataset | RevealDataset

REWRITTEN = "rewritten"
"""Name, among the files of a data set, of the requests that a rewriter wrote."""


def controlled_states(
    name: str,
    dataset: ControlledDataset,
    base: BaseData,
    files: Mapping[str, Path],
    account: Account,
) -> list[State]:
    """Build the states of a controlled set.

    Parameters
    ----------
    name, dataset
        The data set's name in the run and its settings.
    base
        The finished data of the set that it is made `of`.
    files
        The rewriter's requests under `REWRITTEN`, if the set names a rewriter.
    account
        Receives what was kept, left out and why.

    Raises
    ------
    UserError
        If there is a rewriter but no file of its requests.
    """
    match dataset:
        case RelocateDataset():
            requests = _rewritten(name, dataset, files)
            return relocated_states(name, dataset, base, requests, account)
        case HcDataset():
            return hc_states(name, base, account)
        case RevealDataset():
            return reveal_states(name, dataset, base, account)


def controlled_calls(
    dataset: ControlledDataset, states: Sequence[State], base: BaseData | None
) -> list[ProposedCall]:
    """Give the calls of a controlled set; only the arguments under test have a label.

    Parameters
    ----------
    dataset, states
        The settings, and the states that were drawn.
    base
        Needed for reveal and placebo, whose wrong calls are those of the base.

    Raises
    ------
    UserError
        If the base is needed and missing.
    """
    match dataset:
        case RelocateDataset():
            return relocated_calls(states)
        case HcDataset():
            return hc_calls(states)
        case RevealDataset():
            if base is None:
                raise UserError(f"the calls of a {dataset.kind} set need the finished data of {dataset.of}.")
            return reveal_calls(states, base)


def _rewritten(
    name: str, dataset: RelocateDataset, files: Mapping[str, Path]
) -> dict[str, RelocatedRequest] | None:
    if dataset.rewriter is None:
        return None
    if REWRITTEN not in files:
        raise UserError(
            f"arguments.datasets.{name} has the rewriter {dataset.rewriter}; give the file of its requests."
        )
    return {request.state_id: request for request in read_json_lines(files[REWRITTEN], RelocatedRequest)}
