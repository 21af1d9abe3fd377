"""The configuration of a run as the scripts read it, and where its files are."""

from __future__ import annotations

from pathlib import Path

from plumbline.config import paths
from plumbline.config.settings import RunConfig
from plumbline.records.errors import UserError


class Workspace:
    """A run's configuration and its folder of results.

    Parameters
    ----------
    config
        `results/RUN/config.json`, which the workflow writes before its first job.

    Raises
    ------
    UserError
        If the file is missing or is not a run's resolved configuration.
    """

    def __init__(self, config: Path) -> None:
        try:
            self.settings = RunConfig.model_validate_json(config.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(
                f"{config} is not the resolved configuration of a run. Start the run once with snakemake; "
                f"it writes results/RUN/config.json. ({error})"
            ) from None
        self.root = config.resolve().parent.parent
        self.run = self.settings.run

    def path(self, kind: str, *parts: str) -> Path:
        """Give a file of the run; `kind` is a function of `config.paths`."""
        return Path(getattr(paths, kind)(self.run, *parts, root=self.root))

    def journal(self, model: str) -> Path:
        """Give the folder of a model's journal; all runs share it."""
        return self.root / "journal" / model

    def log(self, *parts: str) -> Path:
        """Give a file for the log of a model server."""
        return self.root / self.run / "logs" / "servers" / (".".join(parts) + ".txt")
