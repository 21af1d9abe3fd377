"""Make one table or figure of the corpus."""

from __future__ import annotations

from pathlib import Path

import click
from matplotlib.figure import Figure

from plumbline.command import Writable, config_option, without_traceback
from plumbline.config.resolved import Workspace
from plumbline.records import write_table, write_text
from plumbline.report.page import table_page
from plumbline.tables.beside import with_published
from plumbline.tables.corpus_inputs import CORPUS, CorpusInputs
from plumbline.tables.corpus_specs import CORPUS_TABLES
from plumbline.tables.drawing import svg_text


@click.command()
@config_option
@click.option("--result", type=click.Choice(list(CORPUS_TABLES)), required=True, help="Which one.")
@click.option("--csv", type=Writable, help="A table, CSV.")
@click.option("--html", type=Writable, help="A table as a page of its own, HTML.")
@click.option("--svg", type=Writable, help="A figure, SVG.")
@without_traceback
def main(workspace: Workspace, result: str, csv: Path | None, html: Path | None, svg: Path | None) -> None:
    """Make one table (CSV and page) or figure (SVG) of the run's records."""
    spec = CORPUS_TABLES[result]
    inputs = CorpusInputs.read(workspace)
    made = spec.build(inputs)
    if isinstance(made, Figure):
        assert svg is not None
        write_text(svg_text(made), svg)
        return
    assert csv is not None
    assert html is not None
    table = with_published(made, result, inputs)
    write_table(table.frame, csv)
    write_text(table_page(table, spec, workspace.run, CORPUS), html)


if __name__ == "__main__":
    main()
