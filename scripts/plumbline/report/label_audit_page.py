"""The label audit as a page: works offline, keeps answers in the browser, exports them (D7)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from plumbline.arguments.label_audit import COLUMNS, VERDICTS, AuditRow
from plumbline.records.files import digest_of
from plumbline.report.templating import render

_PARTS = {"user": "message", "assistant": "the assistant", "call": "call", "return": "return"}


def label_audit_page(rows: Sequence[AuditRow], dataset: str) -> str:
    """Write the sheet as one self-contained HTML page.

    Parameters
    ----------
    rows
        The sample.
    dataset
        Name of the data set, for the title and the name of the exported file.

    Returns
    -------
    str
        HTML. All text is escaped; the page's policy forbids any connection. Answers are kept under a key
        that depends on the sample, so that two samples never mix.
    """
    entries = [
        {
            "row": row,
            "schema": json.dumps(row.schema, indent=2, ensure_ascii=False),
            "history": [{"title": _PARTS[part.part], "text": part.text} for part in row.history if part.text],
        }
        for row in rows
    ]
    key = digest_of([row.id for row in rows])[:12]
    return render(
        "label_audit.html",
        dataset=dataset,
        entries=entries,
        verdicts=VERDICTS,
        columns=",".join((*COLUMNS[:4], *COLUMNS[5:])),
        key=f"label-audit-{dataset}-{key}",
    )
