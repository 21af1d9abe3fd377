"""`plumbline audit-labels`: a blind sample of wrong values for people, and what two of them say (D7)."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, without_traceback


@click.group("audit-labels")
def audit_labels() -> None:
    """Let people check whether values that are labelled wrong are wrong."""


@audit_labels.command("draw")
@click.option("--run", help="A run under the results folder; may be left out if there is one.")
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@click.option("--dataset", required=True, help="A data set of the run.")
@click.option("--count", type=click.IntRange(min=1), default=100, show_default=True, help="Values.")
@click.option("--seed", type=int, default=20260930, show_default=True, help="Of the draw.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), default=Path())
@without_traceback
def draw(run: str | None, results: Path, dataset: str, count: int, seed: int, output: Path) -> None:
    """Draw wrong values of a data set and write the sheet, as a page and as CSV.

    The sheet shows neither who proposed a value nor the gold one, no score and no reference.
    """
    from plumbline.arguments.label_audit import draw_audit, sheet_text
    from plumbline.config import paths
    from plumbline.inspection import find_run
    from plumbline.records import read_json_lines, write_text
    from plumbline.records.arguments import ArgumentItem, State
    from plumbline.report.label_audit_page import label_audit_page

    name = find_run(results, run).run
    items = read_json_lines(paths.argument_items(name, dataset, results), ArgumentItem)
    states = read_json_lines(paths.states(name, dataset, results), State)
    rows = draw_audit(items, states, count, seed)
    for ending, text in ((".csv", sheet_text(rows)), (".html", label_audit_page(rows, dataset))):
        file = output / f"label_audit_{dataset}{ending}"
        write_text(text, file)
        click.echo(f"{file}: {len(rows)} values")


@audit_labels.command("read")
@click.argument("first", type=Readable)
@click.argument("second", type=Readable)
@click.option("--discussed", type=Readable, help="A sheet with the verdicts that were settled on together.")
@without_traceback
def read(first: Path, second: Path, discussed: Path | None) -> None:
    """Read two annotators' sheets and print their agreement and the shares of their verdicts."""
    from plumbline.arguments.label_audit import audit_lines, read_sheet, summarise_audit

    settled = read_sheet(discussed) if discussed else None
    click.echo("\n".join(audit_lines(summarise_audit(read_sheet(first), read_sheet(second), settled))))
