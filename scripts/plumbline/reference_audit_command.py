"""`plumbline audit-references`: people check how references' values are read, on a sample (D16)."""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.command import Readable, without_traceback


@click.group("audit-references")
def audit_references() -> None:
    """Let people check whether the value that is read from a reference is what it concludes."""


@audit_references.command("draw")
@click.option("--run", help="A run under the results folder; may be left out if there is one.")
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@click.option("--dataset", required=True, help="A data set of the run.")
@click.option("--reference", required=True, help="A reference of kind derive_value.")
@click.option("--model", required=True, help="The model that wrote it.")
@click.option("--round", "number", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--seen", type=Readable, multiple=True, help="The sheet of an earlier round; may be repeated.")
@click.option(
    "--missed/--no-missed",
    default=None,
    help="Also draw references without a value; by default in the first two rounds.",
)
@click.option("--seed", type=int, default=20260930, show_default=True, help="Of the draw.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), default=Path())
@without_traceback
def draw(
    run: str | None,
    results: Path,
    dataset: str,
    reference: str,
    model: str,
    number: int,
    seen: tuple[Path, ...],
    missed: bool | None,
    seed: int,
    output: Path,
) -> None:
    """Draw references with the value that was read from each, as a sheet to be checked.

    A round has 20 correct and 10 wrong values with a parsed value; the first two have 20 correct ones without
    one as well, though the text holds them. Mend the parser's settings, draw again with --round and --seen,
    until all are right.
    """
    from plumbline.arguments.references.audit import audit_sample, audit_sheet, audited_ids, counts_of
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
        counts=counts_of(number, missed),
        seen=set().union(*(audited_ids(sheet) for sheet in seen)),
    )
    file = output / f"reference_audit_{dataset}_{reference}_{number}.csv"
    write_text(audit_sheet(rows, number), file)
    click.echo(f"{file}: {len(rows)} references")


@audit_references.command("read")
@click.argument("sheets", type=Readable, nargs=-1, required=True)
@without_traceback
def read(sheets: tuple[Path, ...]) -> None:
    """Read the sheets of rounds that were filled in, and print whether the parser is accepted."""
    from plumbline.arguments.references.audit import answer_lines, read_answers

    for sheet in sheets:
        click.echo(f"{sheet}:")
        click.echo("\n".join(f"  {line}" for line in answer_lines(read_answers(sheet))))
