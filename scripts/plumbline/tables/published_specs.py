"""Tables about the paper itself: its figures beside ours, its notation, models and neighbours."""

from __future__ import annotations

from plumbline.tables.spec import MAIN, PAPER, TableSpec

SPECS = (
    TableSpec(
        name="alignment_beside_paper",
        title="Alignment beside the paper's",
        about="Every cell of the paper's main table: its figure, ours, and the difference.",
        item="A19",
        question=MAIN,
        kind="table",
        by_condition=False,
        builder="paper_cells:beside_table",
    ),
    TableSpec(
        name="notation",
        title="Notation",
        about="What the symbols of the formulas mean.",
        item="A56",
        question=PAPER,
        kind="table",
        by_condition=False,
        builder="static:notation_table",
    ),
    TableSpec(
        name="systems",
        title="Systems that judge tool calls",
        about="What earlier systems have and lack.",
        item="A56",
        question=PAPER,
        kind="table",
        by_condition=False,
        builder="static:systems_table",
    ),
    TableSpec(
        name="paper_models",
        title="Models of the paper",
        about="Generators and judges of the paper, with their decoding.",
        item="A56",
        question=PAPER,
        kind="table",
        by_condition=False,
        builder="static:models_table",
    ),
    TableSpec(
        name="related_work",
        title="Related work",
        about="Benchmarks and judges that the paper names.",
        item="A56",
        question=PAPER,
        kind="table",
        by_condition=False,
        builder="static:related_table",
    ),
)
