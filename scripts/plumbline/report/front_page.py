"""The report's front page: the headline numbers, how far they carry, and where the rest is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from plumbline.config.settings import RunConfig
from plumbline.report.cautions import cautions
from plumbline.report.claims_page import claims_told, outcomes
from plumbline.report.contents import contents
from plumbline.report.headline import Counts, Headline, Lift, headlines, plan_counts
from plumbline.report.templating import counted, joined, number, render

DRAWN = 180
"""Width of the picture of an interval, as its template has it."""


def front_page(config: RunConfig, manifest: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]) -> str:
    """Write the front page of a run as one self-contained HTML page.

    Parameters
    ----------
    config
        The run.
    manifest
        `results/RUN/manifest.json`.
    tables
        By name, as their CSV files hold them: `alignment`, `gt_lift`, `coverage`, `plan_status`, `claims`.
        What is missing is left out of the page.

    Returns
    -------
    str
        HTML. All text is escaped; the page's policy forbids any connection.
    """
    rows = headlines(config, tables)
    plans = plan_counts(tables)
    listed = contents(config)
    return render(
        "front.html",
        run=config.run,
        version=manifest.get("plumbline", ""),
        lead=_lead(config, manifest, rows),
        tiles=_tiles(manifest, rows, plans),
        warnings=cautions(config, manifest, tables, rows),
        rows=_rows(rows),
        conditions=list(rows[0].means) if rows else [],
        has_lift=any(row.lift is not None for row in rows),
        zero=_place(0.0, _reach(rows)),
        notes=_notes(rows),
        claims=_claims(tables.get("claims")),
        claim_rows=_claim_rows(tables.get("claims")),
        hints=_hints(rows),
        contents=listed,
        many_blocks=len(config.blocks) > 1,
        models=_models(config, manifest),
        versions=_versions(manifest),
    )


def _lead(config: RunConfig, manifest: Mapping[str, Any], rows: Sequence[Headline]) -> list[str]:
    """Say in two sentences what was measured."""
    records = _records(manifest)
    by_source = records.get("by_source", {})
    sources = joined([f"{count:,} from {source}" for source, count in by_source.items()])
    if len(by_source) == 1:
        sources = f"from {next(iter(by_source))}"
    of_records = counted(records.get("count", 0), "record") + (f" ({sources})" if sources else "")
    tiers = f"{'tier' if len(config.tiers) == 1 else 'tiers'} {joined(config.tiers)}"
    conditions = list(rows[0].means) if rows else list(config.conditions)
    judges, generators = counted(len(config.judges), "judge"), counted(len(config.generators), "generator")
    return [
        f"{judges} scored the plans that {generators} wrote for {of_records} at the {tiers}, under the "
        f"{'condition' if len(conditions) == 1 else 'conditions'} {joined(conditions)}.",
        "Alignment is how close a judge's four scores come to those of a program that compares the plan with "
        "the expected calls: 100 % means equal on every plan.",
    ]


def _tiles(
    manifest: Mapping[str, Any], rows: Sequence[Headline], plans: Counts | None
) -> list[dict[str, str]]:
    tiles = [{"value": f"{_records(manifest).get('count', 0):,}", "label": "records"}]
    if plans is not None:
        tiles.append({"value": plans.share, "label": f"plans read, {plans.told}"})
    coverages = [row.coverage for row in rows if row.coverage is not None]
    if coverages:
        verdicts = Counts(sum(each.read for each in coverages), sum(each.asked for each in coverages))
        tiles.append({"value": verdicts.share, "label": f"verdicts read, {verdicts.told}"})
    for condition in list(rows[0].means)[:2] if rows else []:
        known = {row.judge: mean for row in rows if (mean := row.means[condition]) is not None}
        if known:
            best = max(known, key=known.__getitem__)
            of_all = "highest alignment" if len(rows) > 1 else "alignment"
            tiles.append({"value": f"{number(known[best], 1)} %", "label": f"{of_all}, {condition}: {best}"})
    return tiles


def _rows(rows: Sequence[Headline]) -> list[dict[str, Any]]:
    best = {
        condition: max(values)
        for condition in (rows[0].means if rows else {})
        if len(values := [v for row in rows if (v := row.means[condition]) is not None]) > 1
    }
    reach = _reach(rows)
    return [
        {
            "judge": row.judge,
            "means": [
                {
                    "text": "–" if mean is None else number(mean, 1),
                    "missing": mean is None,
                    "bold": mean is not None and mean == best.get(condition),
                }
                for condition, mean in row.means.items()
            ],
            "lift": _lift(row.lift, reach),
            "coverage": _coverage(row.coverage),
        }
        for row in rows
    ]


def _lift(lift: Lift | None, reach: tuple[float, float]) -> dict[str, Any]:
    if lift is None or lift.mean is None:
        return {"missing": True, "reason": lift.reason if lift else "", "interval": "", "drawn": None}
    if lift.lo is None or lift.hi is None:
        return {"missing": False, "text": number(lift.mean, 2, signed=True), "interval": "–", "drawn": None}
    return {
        "missing": False,
        "text": number(lift.mean, 2, signed=True),
        "interval": f"{number(lift.lo, 2, signed=True)} to {number(lift.hi, 2, signed=True)}",
        "drawn": {name: _place(getattr(lift, name), reach) for name in ("mean", "lo", "hi")},
    }


def _reach(rows: Sequence[Headline]) -> tuple[float, float]:
    """Give the ends of the drawn axis: all intervals and 0, with a little air."""
    ends = [0.0]
    for row in rows:
        if row.lift is not None:
            ends += [end for end in (row.lift.lo, row.lift.hi) if end is not None]
    spare = 0.05 * (max(ends) - min(ends)) or 1.0
    return min(ends) - spare, max(ends) + spare


def _place(value: float, reach: tuple[float, float]) -> float:
    """Give the place of a number on the drawn axis, in the units of its picture."""
    return round(DRAWN * (value - reach[0]) / (reach[1] - reach[0]), 2)


def _coverage(counts: Counts | None) -> dict[str, str]:
    if counts is None or counts.asked == 0:
        return {"width": "0", "share": "–", "told": "nothing asked"}
    return {
        "width": f"{100 * counts.read / counts.asked:.1f}",
        "share": counts.share,
        "told": counts.told,
    }


def _notes(rows: Sequence[Headline]) -> list[str]:
    if not rows:
        return []
    notes = ["Alignment here is the plain mean over the generator and tier cells of the table of alignment."]
    if any(row.lift is not None for row in rows):
        notes.append(
            "Lift is the alignment with the expected calls shown minus the alignment without them, on plans "
            "that have a verdict on both sides; so it can differ from the difference of the two columns."
        )
    return notes


def _hints(rows: Sequence[Headline]) -> list[str]:
    """Say where to go first, from what the numbers show."""
    hints = []
    signs = {row.judge: row.lift.sign for row in rows if row.lift is not None}
    harmed, helped, unclear = ([judge for judge in signs if signs[judge] == sign] for sign in (-1, 1, 0))
    if harmed:
        hints.append(
            f"The expected calls make {joined(harmed)} agree less with the program, and the interval leaves "
            "out 0: see the lift and the table by metric."
        )
    if helped:
        hints.append(f"The expected calls help {joined(helped)}: the interval of the lift leaves out 0.")
    if unclear:
        hints.append(f"For {joined(unclear)} the interval of the lift holds 0: its sign cannot be told.")
    hints.append(
        "Coverage: a mean rests on the verdicts that could be read. Compare cells only if theirs are alike."
    )
    hints.append(
        "Accuracy of the generators: a judge that answers 1.0 to everything reaches just that alignment. "
        "A judge is worth something to the extent that it is above it."
    )
    return hints


def _claims(table: pd.DataFrame | None) -> str:
    """Say how many of the paper's claims were reproduced."""
    return "" if table is None else claims_told(outcomes(table))


def _claim_rows(table: pd.DataFrame | None) -> list[dict[str, str]]:
    """Give every claim as text; a dash where the run has no number."""
    if table is None:
        return []
    shown = table[["item", "claim", "unit", "paper", "ours", "result"]].astype(object)
    rows = shown.fillna({"unit": "", "paper": "–", "ours": "–"}).to_dict("records")
    return [{str(name): str(text) for name, text in row.items()} for row in rows]


def _models(config: RunConfig, manifest: Mapping[str, Any]) -> list[dict[str, str]]:
    roles: dict[str, list[str]] = {}
    for slug, judge in config.judges.items():
        roles.setdefault(judge.model, []).append(f"judge {slug}")
    for slug, generator in config.generators.items():
        if generator.model is not None:
            roles.setdefault(generator.model, []).append(f"generator {slug}")
    if config.rewrites is not None:
        roles.setdefault(config.rewrites.model, []).append("rewriter")
    return [
        {
            "slug": slug,
            "roles": ", ".join(roles.get(slug, [])),
            "engine": str(model.get("engine", "")),
            "name": str(model.get("file") or model.get("model") or slug),
            "revision": str(model.get("revision") or _short(model.get("sha256"))),
            "temperature": number(model.get("decoding", {}).get("temperature", 0.0)),
        }
        for slug, model in manifest.get("models", {}).items()
    ]


def _versions(manifest: Mapping[str, Any]) -> dict[str, str]:
    found = {"plumbline": str(manifest.get("plumbline", "")), "Python": str(manifest.get("python", ""))}
    found |= {name: str(version) for name, version in manifest.get("packages", {}).items()}
    found |= {f"seed of the {name}": str(seed) for name, seed in manifest.get("seeds", {}).items()}
    found |= {"records": _short(_records(manifest).get("sha256"))}
    found |= {f"prompt {name}": _short(digest) for name, digest in manifest.get("prompts", {}).items()}
    return found


def _records(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    records: Mapping[str, Any] = manifest.get("data", {}).get("records", {})
    return records


def _short(digest: Any) -> str:
    return f"SHA-256 {str(digest)[:12]}…" if digest else "not stated"
