"""`plumbline audit-references`: a sample on which people check how references' values are read (D16)."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, without_traceback


@click.command("audit-references")
@click.option("--run", help="A run under the results folder; may be left out if there is one.")
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@click.option("--dataset", required=True, help="A data set of the run.")
@click.option("--reference", required=True, help="A reference of kind derive_value.")
@click.option("--model", required=True, help="The model that wrote it.")
@click.option("--round", "number", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--seen", type=Readable, multiple=True, help="The sheet of an earlier round; may be repeated.")
@click.option(
    "--missed/--no-missed", default=True, show_default=True, help="Also draw references without a value."
)
@click.option("--seed", type=int, default=20260930, show_default=True, help="Of the draw.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), default=Path())
@without_traceback
def audit_references(
    run: str | None,
    results: Path,
    dataset: str,
    reference: str,
    model: str,
    number: int,
    seen: tuple[Path, ...],
    missed: bool,
    seed: int,
    output: Path,
) -> None:
    """Draw references with the value that was read from each, as a sheet to be checked.

    A round has 20 correct and 10 wrong values with a parsed value, and 20 correct ones without one though the
    text holds them. Mend the parser's settings, draw again with --round and --seen, until all are right.
    """
    from plumbline.arguments.references.audit import GROUPS, audit_sample, audit_sheet, audited_ids
    from plumbline.config import paths
    from plumbline.inspection import find_run
    from plumbline.records import read_json_lines, write_text
    from plumbline.records.arguments import ArgumentItem, ValueReference

    name = find_run(results, run).run
    lines = paths.value_references(name, dataset, reference, model, results)
    rows = audit_sample(
        read_json_lines(paths.argument_items(name, dataset, results), ArgumentItem),
        read_json_lines(lines, ValueReference),
        seed=seed,
        number=number,
        counts={group: count for group, count in GROUPS.items() if missed or "not" not in group},
        seen=set().union(*(audited_ids(sheet) for sheet in seen)),
    )
    file = output / f"reference_audit_{dataset}_{reference}_{number}.csv"
    write_text(audit_sheet(rows, number), file)
    click.echo(f"{file}: {len(rows)} references")
