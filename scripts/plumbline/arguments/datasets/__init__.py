"""Data sets of argument judging: states, proposed calls, and the controlled sets made of them."""

from plumbline.arguments.datasets.account import Account
from plumbline.arguments.datasets.base import BaseData
from plumbline.arguments.datasets.calls import build_calls
from plumbline.arguments.datasets.states import build_states, user_files

__all__ = ["Account", "BaseData", "build_calls", "build_states", "user_files"]
