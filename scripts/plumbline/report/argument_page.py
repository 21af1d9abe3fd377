"""The front page of argument judging: three questions, answered from the tables of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from plumbline.config import paths
from plumbline.config.arguments import Arguments
from plumbline.config.settings import RunConfig
from plumbline.report.claims_page import TITLE as CLAIMS
from plumbline.report.claims_page import claims_result, claims_told, outcomes
from plumbline.report.contents import Entry
from plumbline.report.page import table_words
from plumbline.report.templating import counted, is_missing, joined, number, render
from plumbline.tables.argument_roles import role
from plumbline.tables.claims import Answer
from plumbline.tables.registry import TABLES

Frames = Mapping[str, list[pd.DataFrame]]
Row = Mapping[Any, Any]

MOST = 3
"""Paths that are named for each judge."""

NO_TABLE = "Not answered: no block of this run asks for the table {}."


def argument_page(config: RunConfig, frames: Frames) -> str:
    """Write the front page of argument judging as one self-contained HTML page.

    Parameters
    ----------
    config
        The run.
    frames
        Tables by name, those of each block that has them, as their CSV files hold them: `derivation_gaps`,
        `argument_effects`, `argument_swap`, `argument_coverage`, `argument_claims`. What is missing is said.

    Returns
    -------
    str
        HTML. All text is escaped; the page's policy forbids any connection.
    """
    assert config.arguments is not None
    claims = frames.get("argument_claims")
    return render(
        "arguments.html",
        run=config.run,
        lead=_lead(config),
        tiles=_tiles(frames),
        warnings=_warnings(config),
        questions=[
            ("Which paths does a judge misjudge?", _gap(config.arguments), _paths(frames)),
            ("What does a reference gain?", GAIN, _gains(config, frames)),
            ("Does a judge follow a wrong reference?", SWAP, _swaps(frames)),
        ],
        claims=claims_told(outcomes(claims[0])) if claims else "",
        contents=_contents(config),
    )


GAP = (
    "A value's path says where it stands. visible: in what the judge sees. history_only: in a part of the "
    "history that Plain does not show. format: in another spelling. default: in the function's schema. "
    "no_source: nowhere. The derivation gap: how many points less often right values of a path are accepted "
    "than visible ones, at the score above which {} % of all right values are accepted."
)
GAIN = "AUROC × 100 with the reference minus that without, on the values that have a score under both."
SWAP = "What is accepted at 0.5 once the reference's right value was exchanged for a wrong one."


def _gap(settings: Arguments) -> str:
    return GAP.format(f"{100 * settings.gap.rate:g}")


def argument_claims_page(config: RunConfig, answers: Sequence[Answer]) -> tuple[pd.DataFrame, str]:
    """Give the claims of the DeRef paper as a table and as one self-contained HTML page."""
    result = claims_result(answers)
    counts = outcomes(result.frame)
    page = render(
        "claims.html",
        lead=claims_told(counts),
        tiles=[{"value": str(count), "label": word} for word, count in counts.items()],
        warnings=[
            "Only numbers on the paper's own items are tested: as many right and wrong values of the data "
            "set as it has. On other items the run's number is told, but it is not a test.",
            *_warnings(config),
        ],
        **table_words(result, f"{CLAIMS} on arguments", config.run, ["plumbline", f"run {config.run}"]),
    )
    return result.frame, page


def _lead(config: RunConfig) -> list[str]:
    assert config.arguments is not None
    settings = config.arguments
    judges, sets = counted(len(settings.judges), "judge"), counted(len(settings.datasets), "data set")
    return [
        f"{judges} gave the probability that an argument value is right, for values of {sets} "
        f"({joined(list(settings.datasets))}). Labels come from gold calls, not from where a value stands.",
    ]


def _tiles(frames: Frames) -> list[dict[str, str]]:
    found = frames.get("argument_coverage")
    if not found:
        return []
    table = pd.concat(found).drop_duplicates(["judge", "dataset", "input"])
    asked, ok = int(table["asked"].sum()), int(table["ok"].sum())
    share = f"{number(100 * ok / asked, 1)} %" if asked else "–"
    return [
        {
            "value": f"{int(table['items'].max()):,}" if len(table) else "0",
            "label": "items in the largest cell",
        },
        {"value": share, "label": f"judgments read, {ok:,} of {asked:,}"},
    ]


def _warnings(config: RunConfig) -> list[str]:
    assert config.arguments is not None
    settings = config.arguments
    models = [judge.model for judge in settings.judges.values() if judge.model is not None]
    told = [
        f"Data set {name}: {note}."
        for name, chosen in settings.datasets.items()
        if (note := chosen.shown_note()) is not None
    ]
    if any(config.models[model].engine == "simulated" for model in models):
        told.insert(
            0, "Simulation: judgments were drawn from a stated error model; no LLM was asked for them."
        )
    return told


def _paths(frames: Frames) -> list[str]:
    """For each judge the paths whose gap excludes 0, largest first."""
    rows = _rows(frames, "derivation_gaps")
    if rows is None:
        return [NO_TABLE.format("derivation_gaps")]
    first = rows[0]["input"] if rows else None
    rows = [row for row in rows if row["input"] == first and row["path"] != "out_of_view"]
    told = []
    for judge in dict.fromkeys(row["judge"] for row in rows):
        own = [row for row in rows if row["judge"] == judge and not is_missing(row["gap"])]
        sure = sorted((row for row in own if _sign(row, "gap") == 1), key=lambda row: -row["gap"])
        if not own:
            told.append(f"{judge}: no gap could be computed.")
        elif not sure:
            told.append(
                f"{judge}, reading {first}: no path's gap has an interval above 0 ({len(own)} looked at)."
            )
        else:
            parts = [
                f"{row['path']} of {row['dataset']} by {_interval(row, 'gap', signed=False)} points "
                f"(n = {row['n']:,})"
                for row in sure[:MOST]
            ]
            more = f", and {len(sure) - MOST} more" if len(sure) > MOST else ""
            told.append(f"{judge}, reading {first}, accepts right values less often: {joined(parts)}{more}.")
    return told or ["Nothing was judged."]


def _gains(config: RunConfig, frames: Frames) -> list[str]:
    """For each judge what inputs with a reference gain over the same without."""
    assert config.arguments is not None
    rows = _rows(frames, "argument_effects")
    if rows is None:
        return [NO_TABLE.format("argument_effects")]
    shown = {
        chosen.arm or name: role(config.arguments, name) for name, chosen in config.arguments.inputs.items()
    }
    pairs = {"deref": "plain", "deref_full": "full_history"}
    rows = [row for row in rows if pairs.get(shown.get(row["input"], "")) == shown.get(row["against"])]
    told = []
    for judge in dict.fromkeys(row["judge"] for row in rows):
        parts = [
            f"{row['dataset']} with {row['input']} {_interval(row, 'gain')} {VERDICT[_sign(row, 'gain')]}"
            for row in rows
            if row["judge"] == judge and not is_missing(row["gain"])
        ]
        told.append(f"{judge}: {'; '.join(parts)}." if parts else f"{judge}: no gain could be computed.")
    return told or ["No input with a reference is compared with the same without."]


FEWEST_SWAPS = 5
"""Swapped values of each label below which a change of acceptance is not called anything."""

VERDICT = {
    1: "(a gain)",
    -1: "(a loss)",
    0: "(its sign cannot be told)",
    None: "(no interval)",
}


def _swaps(frames: Frames) -> list[str]:
    """For each judge and data set whether acceptance moved with the wrong value."""
    rows = _rows(frames, "argument_swap")
    if rows is None:
        return [NO_TABLE.format("argument_swap")]
    told = []
    for judge, dataset in dict.fromkeys((row["judge"], row["dataset"]) for row in rows):
        own = {row["quantity"]: row for row in rows if (row["judge"], row["dataset"]) == (judge, dataset)}
        right, wrong = own["correct_accepted"], own["wrong_accepted"]
        if is_missing(right["change"]) or is_missing(wrong["change"]):
            told.append(f"{judge} on {dataset}: not both right and wrong values were scored.")
            continue
        sizes = f"{int(right['n'])} right and {int(wrong['n'])} wrong values"
        if min(right["n"], wrong["n"]) < FEWEST_SWAPS:
            told.append(f"{judge} on {dataset}: {sizes} could be swapped, too few to tell.")
            continue
        moves = (_sign(right, "change") == -1, _sign(wrong, "change") == 1)
        verdict = {2: "follows it", 1: "follows it in part", 0: "is not shown to follow it"}[sum(moves)]
        told.append(
            f"{judge} on {dataset} {verdict}: acceptance of wrong values changes by "
            f"{_interval(wrong, 'change')} points, of right values by {_interval(right, 'change')} ({sizes})."
        )
    return told or ["No reference was swapped."]


def _rows(frames: Frames, name: str) -> list[Row] | None:
    found = frames.get(name)
    if not found:
        return None
    rows: dict[tuple[str, ...], Row] = {}
    for row in (row for frame in found for row in frame.to_dict("records")):
        # a cell may be in several blocks
        about = ("judge", "dataset", "input", "against", "path", "quantity")
        rows.setdefault(tuple(str(row.get(name)) for name in about), row)
    return list(rows.values())


def _interval(row: Row, name: str, signed: bool = True) -> str:
    value = number(float(row[name]), 1, signed=signed)
    ends = [row[f"{name}_{end}"] for end in ("lo", "hi")]
    if any(map(is_missing, ends)):
        return value
    low, high = (number(float(end), 1, signed=signed) for end in ends)
    return f"{value} ({low} to {high})"


def _sign(row: Row, name: str) -> int | None:
    """1 or -1 if the interval leaves out 0, 0 if it holds it, None without one."""
    low, high = row[f"{name}_lo"], row[f"{name}_hi"]
    if is_missing(low) or is_missing(high):
        return None
    return 1 if low > 0 else -1 if high < 0 else 0


def _contents(config: RunConfig) -> dict[str, list[Entry]]:
    """List the tables and figures of the argument blocks by question."""
    assert config.arguments is not None
    listed: dict[str, list[Entry]] = {}
    for name, spec in TABLES.items():
        for block, section in config.arguments.blocks.items():
            if name in section.tables and spec.unit == "argument":
                file = paths.figure(config.run, block, name).rsplit("/", 1)[1]
                address = f"../figures/{file}" if spec.kind == "figure" else f"{block}.{name}.html"
                entry = Entry(spec.title, spec.about, address, spec.kind, block, None)
                listed.setdefault(spec.question.removeprefix("Argument judging: "), []).append(entry)
    return listed
