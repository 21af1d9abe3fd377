"""What every script shares: the types of its options, and errors without a traceback."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plumbline.config.resolved import Workspace
from plumbline.records.errors import UserError

Readable = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A file that exists."""

Writable = click.Path(dir_okay=False, writable=True, path_type=Path)
"""A file to be written."""


class Configured(click.ParamType[Workspace]):
    """Path of a run's resolved configuration; gives its `Workspace`."""

    name = "config"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Workspace:  # the base class says Any
        """Read the configuration; a missing or broken one ends the command."""
        try:
            return value if isinstance(value, Workspace) else Workspace(Path(value))
        except UserError as error:
            self.fail(str(error), param, ctx)


config_option = click.option(
    "--config",
    "workspace",
    type=Configured(),
    required=True,
    metavar="FILE",
    help="The run's resolved configuration, results/RUN/config.json.",
)


def without_traceback(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command end with exit code 1 and the words of a `UserError`, or of a file system that refuses."""

    @functools.wraps(function)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except UserError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(1)
        except BrokenPipeError:
            raise  # the reader has gone, for instance `head`: click ends quietly
        except OSError as error:  # a full disk, a folder that may not be written
            click.echo(f"error: {error.filename or 'writing'}: {error.strerror or error}.", err=True)
            sys.exit(1)

    return guarded
