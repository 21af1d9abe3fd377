"""The `plumbline` command: the library's own calls, for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from plumbline import __version__
from plumbline.audit_command import audit_labels
from plumbline.command import Readable, without_traceback
from plumbline.config.gates import Gates
from plumbline.config.settings import Scoring
from plumbline.judging.reading import read_verdict
from plumbline.plans.parsing import read_plan
from plumbline.records import DataError, Plan, Record, read_json_lines
from plumbline.reference_audit_command import audit_references
from plumbline.tables.registry import CORPUS_TABLES, TABLES


@click.group()
@click.version_option(__version__)
def main() -> None:
    """Measure how far LLM judges of agentic tool calls can be trusted."""


main.add_command(audit_labels)
main.add_command(audit_references)


@main.command()
@click.option("--scale", type=click.Choice(["rubric", "unit"]), default="rubric", show_default=True)
@without_traceback
def parse_verdict(scale: Any) -> None:
    """Read judges' answers, one JSON object a line, and print what was understood of each.

    Keys: `id`, `text`, and `finish_reason`, `refusal`, `reasoning` where known.
    """
    for answer in _answers():
        reading = read_verdict(
            answer["text"],
            finish_reason=answer.get("finish_reason"),
            refusal=answer.get("refusal"),
            scale=scale,
        )
        found = {
            "status": reading.status,
            "scores": reading.scores,
            "raw": reading.raw,
            "detail": reading.detail,
        }
        _print(answer, found)


@main.command()
@without_traceback
def parse_plan() -> None:
    """Read generators' answers, one JSON object a line, and print what was understood of each.

    Keys: `id`, `text`, and `finish_reason`, `refusal`, `reasoning` where known.
    """
    for answer in _answers():
        reading = read_plan(
            answer["text"], finish_reason=answer.get("finish_reason"), refusal=answer.get("refusal")
        )
        calls = None if reading.calls is None else [call.model_dump() for call in reading.calls]
        _print(answer, {"status": reading.status, "calls": calls, "detail": reading.detail})


@main.command()
@click.option("--records", type=Readable, required=True, help="Records, JSON Lines.")
@click.option("--plans", type=Readable, required=True, help="Plans, JSON Lines.")
@without_traceback
def score(records: Path, plans: Path) -> None:
    """Score plans against their records' expected calls and print a JSON line each."""
    from plumbline.plans.scoring import score_plans

    frame = score_plans(read_json_lines(plans, Plan), read_json_lines(records, Record), Scoring())
    for row in frame.to_dict("records"):
        click.echo(json.dumps(row, ensure_ascii=False))


@main.command()
@click.argument("record_id")
@click.option("--run", help="A run under the results folder; may be left out if there is one.")
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@without_traceback
def show(record_id: str, run: str | None, results: Path) -> None:
    """Print everything a run knows about one record."""
    from plumbline.inspection import describe, find_run

    click.echo(describe(find_run(results, run), record_id))


@main.command()
@click.argument("run")
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), required=True, help="A new folder."
)
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@without_traceback
def export(run: str, output: Path, results: Path) -> None:
    """Write a finished RUN in the layout of the released data set, with a data card, for sharing."""
    from plumbline.inspection import find_run
    from plumbline.manifest import manifest_of
    from plumbline.release.folder import export_run

    workspace = find_run(results, run)
    parts = export_run(workspace, output, manifest_of(workspace))
    rows = sum(part.rows for part in parts)
    click.echo(f"{len(parts)} files with {rows:,} rows in {output}; README.md there says what each holds.")


@main.command()
@click.option("--configfile", type=Readable, required=True, help="The configuration of a run, YAML.")
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@without_traceback
def estimate(configfile: Path, results: Path) -> None:
    """Print what a run will take: requests, tokens, GPU hours and money for each model."""
    from plumbline.config.loading import load_config
    from plumbline.config.yaml_files import read_yaml
    from plumbline.estimation.text import estimate_text

    click.echo(estimate_text(load_config(read_yaml(configfile).data, [configfile]), results))


@main.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a record instead of text.")
@click.option("--all", "show_all", is_flag=True, help="List every problem, not twenty of each kind.")
@click.option("--configfile", type=Readable, help="A run whose `corpus.gates` hold; the defaults otherwise.")
@click.option(
    "--loop-repeats",
    type=click.IntRange(2),
    default=2,
    show_default=True,
    help="Calls of one tool in a chain that make a loop; 3 for converted corpora.",
)
@without_traceback
def check(
    files: tuple[Path, ...], as_json: bool, show_all: bool, configfile: Path | None, loop_repeats: int
) -> None:
    """Put FILES of records through both quality gates and list all that is wrong; exit 1 if anything is."""
    from plumbline.corpora.gates import check_file, told, write_rows

    gates = _gates_of(configfile)
    reports = {file: check_file(file, gates, loop_repeats=loop_repeats) for file in files}
    for file, report in reports.items():
        click.echo(write_rows(report) if as_json else told(report, str(file), shown=None if show_all else 20))
    if any(report.every_problem() for report in reports.values()):
        sys.exit(1)


@main.command()
@click.argument("run", required=False)
@click.option("--config", type=Readable, help="The run's results/RUN/config.json, instead of its name.")
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"))
@click.option("--cells", is_flag=True, help="A line for every cell.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with all jobs and cells.")
@click.option("--estimate/--no-estimate", default=True, help="Without it the answer comes sooner.")
@without_traceback
def status(
    run: str | None, config: Path | None, results: Path, cells: bool, as_json: bool, estimate: bool
) -> None:
    """Print how far a run is, what failed and why, and what it took so far.

    RUN is a run under the results folder; it may be left out if there is one. Nothing is changed.
    """
    from plumbline.config.resolved import Workspace
    from plumbline.inspection import find_run
    from plumbline.status.collect import status_of
    from plumbline.status.text import status_data, status_text

    workspace = Workspace(config) if config else find_run(results, run)
    found = status_of(workspace, with_estimate=estimate)
    click.echo(json.dumps(status_data(found)) if as_json else status_text(found, with_cells=cells))


@main.command("tables")
def list_tables() -> None:
    """List the tables and figures that a block can ask for, then those that are made of the corpus."""
    from plumbline.tables.synthesis import YIELD

    for spec in TABLES.values():
        click.echo(f"{spec.name:<26}{spec.kind:<8}{spec.unit:<10}{spec.item or '-':<10}{spec.title}")
    click.echo("\nOf the corpus:")
    for spec in (*CORPUS_TABLES.values(), YIELD):
        click.echo(f"{spec.name:<26}{spec.kind:<8}{'corpus':<10}{spec.item or '-':<10}{spec.title}")


def _gates_of(configfile: Path | None) -> Gates:
    if configfile is None:
        return Gates()
    from plumbline.config.loading import load_config
    from plumbline.config.yaml_files import read_yaml

    return load_config(read_yaml(configfile).data, [configfile]).corpus.gates


def _answers() -> Iterator[dict[str, Any]]:
    """Give the objects on standard input, checked."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"is not a JSON object ({error}).", "standard input", number) from None
        if not isinstance(answer, dict) or "text" not in answer:
            raise DataError("needs an object with the key `text`.", "standard input", number)
        for key in ("text", "finish_reason", "refusal"):
            if not isinstance(answer.get(key), str | None):
                raise DataError(f"`{key}` must be a string or null.", "standard input", number)
        yield answer


def _print(answer: dict[str, Any], found: dict[str, Any]) -> None:
    told = {key: value for key, value in found.items() if value is not None}
    # a lone surrogate in an answer is printed as an escape rather than stopping the command
    click.echo(json.dumps({"id": answer.get("id"), **told}, ensure_ascii=True))


if __name__ == "__main__":
    main()
