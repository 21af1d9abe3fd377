"""How a run gets its own number for a claim that is no single cell of a table."""

from __future__ import annotations

import pandas as pd

from plumbline.records import METRICS, TIERS, TOPOLOGIES
from plumbline.tables.claims import Found, NotRunError, Results, one, several
from plumbline.tables.coverage import TOTAL
from plumbline.tables.experiment import usable
from plumbline.tables.published import GENERATORS, OPEN_WEIGHT, SIX_JUDGES

WEAKEST = ("llama_3_1_8b", "smollm3_3b")
"""Generators that the paper calls the two weakest."""

STRONGEST = tuple(name for name in (*OPEN_WEIGHT, "gpt_5_4") if name not in WEAKEST)
"""The other three."""

UNREADABLE = ("malformed", "truncated", "empty")
"""Statuses of an answer that is there and is no plan."""

SIDES = ("with_gt", "without_gt")
"""The paper's two conditions."""


# the corpus and what was asked


def records(results: Results) -> Found:
    """Count the records of the run."""
    return one(sum(results.experiment.sources.values()))


def rows(results: Results) -> Found:
    """Count records times tiers."""
    return one(len(results.plans.drop_duplicates(["record_id", "tier"])))


def domains(results: Results) -> Found:
    """Domains of the records."""
    return one(results.plans["domain"].nunique())


def topologies(results: Results) -> Found:
    """Topologies of the paper that the records have."""
    return one(len(set(results.plans["topology"]) & set(TOPOLOGIES)))


def of_topology(topology: str, results: Results) -> Found:
    """Count the records of one topology."""
    chosen = results.plans.drop_duplicates("record_id")["topology"]
    return one(int((chosen == topology).sum()))


def resamples(results: Results) -> Found:
    """Resamples of each interval."""
    return one(results.config.bootstrap.resamples)


def factorial_cells(results: Results) -> Found:
    """Cells of generator, judge and tier with a verdict under both conditions; the paper's panel alone."""
    return one(len(_asked(results)))


def tuples(results: Results) -> Found:
    """Plans times judges: those that a judge of the panel was asked about under both conditions."""
    return one(_asked(results).min(axis=1).sum())


def judgments(results: Results) -> Found:
    """Count the same for every condition."""
    return one(_asked(results).to_numpy().sum())


def unreadable_plans(results: Results) -> Found:
    """Percent of the plans asked for whose text is no list of calls, or holds none (C-A31, C-A48)."""
    plans = results.plans
    none = plans["plan_status"].isin(UNREADABLE) | (
        usable(results.config, plans) < (plans["plan_status"] == "ok")
    )
    return one(100 * none.mean())


def attempts(results: Results) -> Found:
    """Further attempts after an unreadable verdict."""
    return one(results.config.verdicts.attempts)


def recovered(results: Results) -> Found:
    """Percent of the verdicts asked for again that a further attempt made readable."""
    return one(results.value("verdict_status", "recovery", judge=TOTAL, condition=TOTAL))


def lost_tuples(results: Results) -> Found:
    """Plans times judges without a readable verdict under some condition: at least, and at most."""
    table = results.first("coverage")
    table = table[table["judge"].isin(SIX_JUDGES) & table["condition"].isin(SIDES)]
    if not table["asked"].sum():
        raise NotRunError("no judge of the paper was asked")
    lost = (table["asked"] - table["ok"]).groupby([table[name] for name in ("judge", "generator", "tier")])
    # the table counts by condition: the plans that are lost may be the same, or all different ones
    least, most = float(lost.max().sum()), float(lost.sum().sum())
    return Found(least, most, least, most)


def shortfall(generator: str, results: Results) -> Found:
    """Percentage points that a generator's plans fall short of its records, below 0."""
    return one(results.value("plan_status", "rate", generator=generator, tier="total") - 100)


def rate(generator: str, tiers: tuple[str, ...], results: Results) -> Found:
    """Percent of a generator's plans on some tiers that count, each tier by itself."""
    return several(results.value("plan_status", "rate", generator=generator, tier=tier) for tier in tiers)


def lost_verdicts(results: Results) -> Found:
    """Percent of the panel's verdicts asked for that could not be read."""
    table = results.first("coverage")
    table = table[table["judge"].isin(SIX_JUDGES)]
    if not table["asked"].sum():
        raise NotRunError("no judge of the paper was asked")
    return one(100 * (1 - table["ok"].sum() / table["asked"].sum()))


# alignment and its averages


def half_width(generators: tuple[str, ...], results: Results) -> Found:
    """Largest half width of the intervals of some generators' cells."""
    cells = _cells(results)
    return several(cells[cells["generator"].isin(generators)]["half_width"].nlargest(1))


def prometheus_gap(results: Results) -> Found:
    """Mean alignment of the six judges minus that of Prometheus-2, by condition."""
    for table in results.all("alignment"):
        if "prometheus_2" in set(table["judge"]):
            means = table.groupby("judge")[
                [f"{t}.{c}" for t in TIERS for c in SIDES if f"{t}.{c}" in table]
            ].mean()
            break
    else:
        raise NotRunError("prometheus_2 is no judge of the run")
    apart = means.reindex(list(SIX_JUDGES)).mean() - means.loc["prometheus_2"]
    names = [[str(name) for name in apart.index if str(name).endswith(f".{side}")] for side in SIDES]
    return several(float(apart[of_side].to_numpy(dtype=float).mean()) for of_side in names if of_side)


def count_weighting(results: Results) -> Found:
    """Largest shift of a judge's mean alignment when records weigh the same, not cells."""
    cells = _cells(results).dropna(subset=["mean"])
    shifts = [
        (rows["mean"] * rows["n"]).sum() / rows["n"].sum() - rows["mean"].mean()
        for _, rows in cells.groupby(["judge", "condition"])
    ]
    return several([max(map(abs, shifts), default=float("nan"))])


def topology_weighting(results: Results) -> Found:
    """Largest shift of a judge's mean alignment when topologies weigh the same, not records."""
    cells = _cells(results).dropna(subset=["mean", "balanced"])
    shifts = (cells["balanced"] - cells["mean"]).groupby([cells["judge"], cells["condition"]]).mean().abs()
    return several(shifts.nlargest(1))


def judges_at(column: str, topologies: tuple[str, ...], results: Results) -> Found:
    """Count the judges whose easiest, or hardest, topology with the expected calls is one of these."""
    table = results.rows("per_topology", condition="with_gt")
    named = table[table["judge"].isin(SIX_JUDGES)][column].dropna().astype(str)
    if len(named) < len(SIX_JUDGES):
        raise NotRunError("a judge of the paper has no ok verdict on two topologies")
    return one(int(sum(set(text.split(", ")) <= set(topologies) for text in named)))


def metric_spread(condition: str, results: Results) -> Found:
    """Widest spread over the panel's judges of any metric."""
    table = results.rows("per_metric", condition=condition)
    table = table[table["judge"].isin(SIX_JUDGES)]
    values = table[list(METRICS)]
    return several((values.max() - values.min()).nlargest(1))


# difficulty, lift and leaders


def monotone_pairs(results: Results) -> Found:
    """Pairs of generator and judge whose alignment falls strictly, fewest of any condition."""
    table = results.first("degradation_checks")
    table = table[table["judge"].isin(SIX_JUDGES) & table["falls"].notna()]
    falls = table["falls"].astype(str) == "True"
    return several(falls.groupby(table["condition"]).sum())


def slope_ratio(results: Results) -> Found:
    """Mean slope without the expected calls over that with them."""
    row = results.rows("slopes", view="all", condition="without_gt").iloc[0]
    return one(row["ratio"], row["ratio_lo"], row["ratio_hi"])


def by_judge(column: str, condition: str, sign: int, results: Results) -> Found:
    """Range of a measure of the slopes over the panel's judges."""
    table = results.rows("slopes", view="judge", condition=condition)
    table = table[table["name"].isin(SIX_JUDGES)]
    return several(sign * table[column])


def hard_band(results: Results) -> Found:
    """Range over judges of the mean alignment on hard queries without the expected calls."""
    return by_judge("hard", "without_gt", 1, results)


def generators_in_band(low: float, high: float, results: Results) -> Found:
    """Count the paper's generators whose mean on hard queries without the expected calls is in a band."""
    table = results.rows("slopes", view="generator", condition="without_gt")
    values = table[table["name"].isin(GENERATORS)]["hard"].dropna()
    if len(values) < len(GENERATORS):
        raise NotRunError("a generator of the paper has no ok verdict on every tier")
    # the bounds are printed without decimals
    return one(int(((values >= low - 0.5) & (values <= high + 0.5)).sum()))


def cells_led(condition: str, results: Results) -> Found:
    """Cells of generator and tier that QwQ-32B leads alone."""
    table = results.rows("winners", condition=condition)
    return one(int((table["best"] == "qwq_32b").sum()))


def leads(rank: str, judge: str, condition: str, tier: str, results: Results) -> Found:
    """Whether a judge is the best or the runner-up of the decision guide: 1 or 0."""
    row = results.rows("decision_guide", generators="open_weight", condition=condition, tier=tier).iloc[0]
    if pd.isna(row[rank]):
        raise NotRunError("no ok verdict")
    return one(float(judge in str(row[rank]).split(", ")))


# agreement of judges


def pair(judges: tuple[str, str], condition: str, measure: str, results: Results) -> Found:
    """Agreement or kappa of two judges, or the share of their disagreements that touch 0.5."""
    table = results.rows("agreement_pairs", condition=condition)
    row = table[(table["judge_a"].isin(judges)) & (table["judge_b"].isin(judges))]
    if row.empty:
        raise NotRunError(f"{' and '.join(judges)} are no pair of the run")
    first = row.iloc[0]
    return one(first[measure], first.get(f"{measure}_lo"), first.get(f"{measure}_hi"))


def half_shares(results: Results) -> Found:
    """Range over pairs of the share of disagreements in which one verdict is 0.5."""
    row = results.rows("agreement_summary", condition="with_gt").iloc[0]
    return several([row["half_lo"], row["half_hi"]])


def against_prometheus(measure: str, results: Results) -> Found:
    """Range of agreement or kappa of Prometheus-2 with the panel's judges, both conditions."""
    values: list[float] = []
    for table in results.all("outside_agreement"):
        chosen = (table["judge_a"] == "prometheus_2") & table["judge_b"].isin(SIX_JUDGES)
        values += list(table[chosen][measure])
    if not values:
        raise NotRunError("prometheus_2 is no judge beside the others")
    return several(values)


def jury(results: Results) -> Found:
    """Alignment of the jury, hard queries without the expected calls."""
    row = results.rows("soft_jury", condition="without_gt", tier="hard").iloc[0]
    return one(row["jury"], row["jury_lo"], row["jury_hi"])


def jury_gap(results: Results) -> Found:
    """Best single judge minus the jury, hard queries without the expected calls."""
    row = results.rows("soft_jury", condition="without_gt", tier="hard").iloc[0]
    if pd.isna(row["difference"]):
        raise NotRunError("no ok verdict")
    return one(-row["difference"], -row["difference_hi"], -row["difference_lo"])


# ablations


def default_effect(generators: tuple[str, ...], results: Results, *, size: bool = False) -> Found:
    """Range over generators of what a default of 0.5 changes, or of the size of it."""
    table = results.first("c2")
    change = table[table["generator"].isin(generators)]["half_minus_one"]
    return several(change.abs() if size else change)


def spread(judge: str, generator: str, results: Results) -> Found:
    """Widest spread over temperatures of a judge on a generator."""
    table = results.rows("temperature", judge=judge, generator=generator, temperature="max - min")
    return several(table["alignment"].nlargest(1))


def thinking_mean(results: Results) -> Found:
    """Mean of thinking on minus off with the expected calls, over generators and tiers."""
    row = results.rows("thinking", judge="qwq_32b", tier="mean", condition="with_gt", arm="thinking off")
    first = row.iloc[0]
    return one(first["on_minus_off"], first["lo"], first["hi"])


def thinking_largest(results: Results) -> Found:
    """Largest difference that thinking makes in any cell."""
    table = results.rows("thinking", judge="qwq_32b", arm="thinking off")
    return several(table[table["tier"] != "mean"]["on_minus_off"].abs().nlargest(1))


def format_effect(results: Results) -> Found:
    """Range over tiers of structured minus free form with the expected calls."""
    table = results.rows("format", judge="qwen3_32b", generator="llama_3_3_70b", condition="with_gt")
    return several(table[table["tier"] != "mean"]["structured_minus_free"])


def _cells(results: Results) -> pd.DataFrame:
    """Cells of the paper's judges under its two conditions, from the first block that shows them."""
    table = results.first("alignment_intervals")
    table = table[table["judge"].isin(SIX_JUDGES) & table["condition"].isin(SIDES)]
    if table.empty:
        raise NotRunError("no judge of the paper is in the run")
    return table


def _asked(results: Results) -> pd.DataFrame:
    """Plans that were asked about by condition, for every generator, judge and tier that has verdicts."""
    cells = _cells(results)
    keys = ["generator", "judge", "tier"]
    asked = cells[cells["n"] > 0].set_index([*keys, "condition"])["asked"].unstack("condition").dropna()
    if asked.empty or len(asked.columns) < len(SIDES):
        raise NotRunError("no cell has ok verdicts under both conditions")
    return asked
