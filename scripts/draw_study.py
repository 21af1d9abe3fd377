"""Draw the plans that annotators are asked about."""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.corpora.rewriting import load_rewrites
from plumbline.records import METRICS, Plan, Record, read_json_lines, write_json_lines
from plumbline.study.sampling import ScoredPlans, draw_study


@click.command()
@config_option
@click.option("--output", type=Writable, required=True, help="The sample, JSON Lines.")
@without_traceback
def main(workspace: Workspace, output: Path) -> None:
    """Draw the sample (A44); standard error says where a topology has too few plans."""
    settings = workspace.settings
    records = read_json_lines(workspace.path("records"), Record)
    draw = draw_study(
        records,
        load_rewrites(workspace),
        [_scored(workspace, name) for name in settings.human.generators or settings.generators],
        settings.human.sample,
        with_empty=settings.plans.zero_calls == "judge",
    )
    click.echo("\n".join([*draw.warnings, f"{len(draw.items)} plans drawn"]), err=True)
    write_json_lines(draw.items, output)


def _scored(workspace: Workspace, generator: str) -> ScoredPlans:
    """Read the plans of a generator on the tier of the study, and their scores."""
    place = (generator, workspace.settings.human.tier)
    plans = {plan.record_id: plan for plan in read_json_lines(workspace.path("plans", *place), Plan)}
    scores = pd.read_parquet(workspace.path("scores", *place)).set_index("record_id")[list(METRICS)]
    return ScoredPlans(generator, plans, scores.to_dict(orient="index"))


if __name__ == "__main__":
    main()
