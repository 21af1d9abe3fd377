"""Take plans and verdicts from the authors' released files; no model is asked."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.judging.released import read_plans, read_verdicts
from plumbline.judging.released_check import ReleasedCheck
from plumbline.records import Record, UserError, read_json_lines, write_json_lines, write_text


@click.command()
@config_option
@click.option("--report", type=Writable, required=True, help="What was met and how numbers compare, JSON.")
@without_traceback
def main(workspace: Workspace, report: Path) -> None:
    """Write the plan file of every generator and tier and the verdict file of every cell."""
    settings = workspace.settings
    if settings.released is None:
        raise UserError("the run has no section `released`; its plans and verdicts come from models.")
    data = read_plans(settings, settings.released, read_json_lines(workspace.path("records"), Record))
    for (generator, tier), plans in data.plans.items():
        write_json_lines(plans.values(), workspace.path("plans", generator, tier))
    check = ReleasedCheck()
    for judge in settings.judges:
        for cell, verdicts in read_verdicts(data, judge, check):
            file = workspace.path("verdicts", judge, cell.generator, cell.tier, cell.condition)
            write_json_lines(verdicts, file)
    click.echo("\n".join([*data.notes, *check.lines()]), err=True)
    content = {"folder": str(data.folder), "check": asdict(check), "notes": data.notes}
    write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", report)


if __name__ == "__main__":
    main()
