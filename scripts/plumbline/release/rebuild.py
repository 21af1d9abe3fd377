"""The configuration that makes an exported run's results again, from what the export holds (A57)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from plumbline.config.comparisons import comparisons
from plumbline.config.loading import load_config
from plumbline.config.released import ReleasedCondition
from plumbline.config.settings import RunConfig
from plumbline.tables.registry import KINDS

STORED = "stored"
"""The one model of such a run: all that it says stands in the files."""

OTHERWISE = ("models", "models_from", "rewrites", "validation", "released", "jobs", "estimate", "arguments")
"""Sections of the run that ask models, or come from elsewhere."""

HEAD = """\
# Makes the tables of the run {run} again from the plans and verdicts of this folder; no model is asked.
# In a copy of plumbline, with this folder in it under the name that stands below as `path`, `folder`:
#     snakemake --cores 2 --configfile {folder}/rebuild.yaml
# The settings are those of the run. {left_out}
"""


def rebuild_file(config: RunConfig, kinds: Mapping[str, ReleasedCondition], folder: str) -> str | None:
    """Write the configuration of a run that is made of an export.

    Parameters
    ----------
    config
        The run that is exported.
    kinds
        The conditions whose verdicts the released layout holds, with what it calls them.
    folder
        Name of the export's folder.

    Returns
    -------
    str or None
        YAML with a comment above; None if no block has such a condition. It is checked as any configuration
        of a user's is.
    """
    data = config.model_dump(mode="json", exclude_defaults=True)
    for section in OTHERWISE:
        data.pop(section, None)
    blocks = _blocks(data.get("blocks", {}), kinds)
    if not blocks:
        return None
    data["run"] = f"{config.run[:52]}_rebuilt"
    data["corpus"]["sources"] = {"export": {"kind": "agentjudgebench", "path": folder}}
    # a file of annotations or of a template lies where the run was made
    data.get("human", {}).pop("annotations", None)
    data.get("prometheus", {}).pop("template", None)
    if config.self_bias.condition not in kinds:
        data.pop("self_bias", None)  # it shows all conditions then
    data["generators"] = {name: {"model": STORED} for name in config.generators}
    data["judges"] = {
        name: {key: value for key, value in judge.items() if key in ("prompt", "output")} | {"model": STORED}
        for name, judge in data["judges"].items()
    }
    data["conditions"] = {
        name: {key: value for key, value in data["conditions"][name].items() if key != "replicates"}
        for name in kinds
    }
    shown = {condition["reference"] for condition in data["conditions"].values() if "reference" in condition}
    data["references"] = {k: made for k, made in data.get("references", {}).items() if k in shown}
    order = {"run": data.pop("run"), "models_from": None, "models": {STORED: {"engine": "released"}}}
    order["released"] = {"folder": folder, "conditions": dict(kinds)}
    order |= data | {"blocks": blocks, "prompts": data.get("prompts", {}) | {"folder": f"{folder}/prompts"}}
    made = RunConfig.model_validate(order)
    for name in list(blocks):
        # an ablation whose other arm is not in the files has nothing to show
        if len(blocks[name]["conditions"]) < len(config.blocks[name].conditions) and not comparisons(
            made, name
        ):
            del blocks[name]
    if not blocks:
        return None
    load_config(order, results=KINDS)  # it must load as it stands, or nobody can rebuild from it
    text = yaml.safe_dump(order, sort_keys=False, allow_unicode=True, width=110)
    return HEAD.format(run=config.run, folder=folder, left_out=_left_out(config, kinds)) + text


def _blocks(blocks: Mapping[str, Any], kinds: Mapping[str, ReleasedCondition]) -> dict[str, Any]:
    """Keep of each block what has stored verdicts; a block without any is left out."""
    kept: dict[str, Any] = {}
    for name, block in blocks.items():
        conditions = [condition for condition in block["conditions"] if condition in kinds]
        pairings = list(filter(None, (_pairing(one, conditions) for one in block.get("pairings", ()))))
        if not conditions or ("pairings" in block and not pairings):
            continue
        compare = {
            condition: baselines
            for condition, wanted in block.get("compare", {}).items()
            if condition in conditions
            and (baselines := [one for one in _listed(wanted) if one in conditions])
        }
        changed = {"conditions": conditions, "pairings": pairings, "compare": compare}
        kept[name] = {key: value for key, value in (block | changed).items() if value != []}
    return kept


def _pairing(pairing: Mapping[str, Any], conditions: list[str]) -> dict[str, Any] | None:
    named = pairing.get("conditions", "all")
    if named == "all":
        return dict(pairing)
    left = [condition for condition in named if condition in conditions]
    return {**pairing, "conditions": left} if left else None


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def _left_out(config: RunConfig, kinds: Mapping[str, ReleasedCondition]) -> str:
    """Say what the released layout has no place for."""
    others = [name for name in config.conditions if name not in kinds]
    repeated = [name for name in kinds if config.conditions[name].replicates > 1]
    told = [f"Not in these files, so not here: {', '.join(others)}."] if others else []
    told += [f"Of the replicates of {', '.join(repeated)} the first one counts."] if repeated else []
    bias = config.self_bias.condition
    told += ["The tables of self-bias show all conditions."] if bias != "all" and bias not in kinds else []
    return " ".join(told) or "Every condition of the run is here."
