"""The data card of an exported run: what it holds, where it comes from, how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from plumbline import __version__
from plumbline.config.cells import used_models
from plumbline.config.resolved import Workspace
from plumbline.records import Record

SOURCES = {
    "starter": ("plumbline's starter corpus", "Apache-2.0"),
    "bfcl": ("BFCL v4, Berkeley Function-Calling Leaderboard (package bfcl-eval)", "Apache-2.0"),
    "complexfuncbench": ("ComplexFuncBench, in the copy of the package nestful-wrapper", "Apache-2.0"),
    "agentjudgebench": ("AgentJudgeBench, ServiceNow-AI", "Apache-2.0"),
    "simulated": ("records made up by a rule for rehearsals; they mean nothing", "CC0-1.0"),
}
"""Name and licence of each kind of source; what is not listed is a user's own."""

REBUILDS = {
    True: "With `rebuild.yaml` plumbline makes the tables again from these files; no model is asked.",
    False: "There is no `rebuild.yaml`: this layout holds the verdicts of no block of the run.",
}
"""What the card says of making the tables again, by whether the export can."""


@dataclass(frozen=True)
class Part:
    """One file of an export: configuration and split that `datasets` loads it as, path, rows, meaning."""

    config: str
    split: str
    file: str
    rows: int
    about: str


def data_card(
    workspace: Workspace, records: Iterable[Record], parts: Sequence[Part], *, rebuilds: bool
) -> str:
    """Write the card: YAML front matter that `datasets.load_dataset` goes by, then text for people.

    Parameters
    ----------
    workspace
        The run.
    records
        Its records.
    parts
        The files of the export.
    rebuilds
        Whether `rebuild.yaml` is among them.

    Returns
    -------
    str
        Markdown. It holds no key, no host and no path of the machine.
    """
    records = list(records)
    config = workspace.settings
    kinds = {source.kind for source in config.corpus.sources.values()}
    licences = sorted({SOURCES[kind][1] for kind in kinds if kind in SOURCES})
    head = {
        "pretty_name": f"plumbline run {workspace.run}",
        "license": licences[0].lower() if len(licences) == 1 and kinds <= set(SOURCES) else "other",
        "language": ["en"],
        "task_categories": ["text-generation"],
        "tags": ["llm-as-a-judge", "tool-calling", "agents", "plumbline"],
        "configs": _configs(parts),
    }
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True)
    return f"---\n{front}---\n\n{_text(workspace, records, parts, sorted(kinds), rebuilds)}"


def _configs(parts: Sequence[Part]) -> list[dict[str, Any]]:
    files: dict[str, list[dict[str, str]]] = {}
    for part in parts:
        files.setdefault(part.config, []).append({"split": part.split, "path": part.file})
    return [{"config_name": name, "data_files": found} for name, found in files.items()]


def _text(
    workspace: Workspace,
    records: Sequence[Record],
    parts: Sequence[Part],
    kinds: Sequence[str],
    rebuilds: bool,
) -> str:
    config = workspace.settings
    shapes = Counter(record.topology for record in records)
    models = {slug: config.models[slug] for slug in used_models(config)}
    simulated = [slug for slug, model in models.items() if model.engine == "simulated"]
    lines = [
        f"# plumbline run {workspace.run}",
        "",
        "Plans of tool-calling generators, what LLM judges say of them with and without the expected calls, "
        "and programmatic scores, in the layout of AgentJudgeBench's release.",
        "",
        *(
            [
                f"**Simulation:** the answers of {', '.join(simulated)} are drawn from a stated error model.",
                "",
            ]
            if simulated
            else []
        ),
        "## Contents",
        "",
        "| configuration | split | file | rows | what |",
        "|---|---|---|---|---|",
        *(f"| {p.config} | {p.split} | `{p.file}` | {p.rows:,} | {p.about} |" for p in parts),
        "",
        "Beside these: `prompts/`, `tables/`, `figures/` as the run made them, and `manifest.json` with "
        f"versions, model revisions, digests, seeds and the configuration. {REBUILDS[rebuilds]}",
        "",
        "An item that failed is a row whose fields are all null, as in the release; `verdicts_*` tells each "
        "failure's status. Fields whose keys vary (`available_tools`, `expected_responses`, "
        "`expected_tool_calls`, `generated_tool_calls`, `plumbline`) are JSON text. `plumbline` holds of a "
        "record what the released layout has no field for: its source and template family, and of each "
        "expected call the keys that a plan may leave out and the calls that it needs.",
        "",
        "## Records",
        "",
        f"{len(records):,} records of {len({record.domain for record in records}):,} domains: "
        + ", ".join(f"{name} {count:,}" for name, count in shapes.most_common())
        + ".",
        "",
        "| source | licence |",
        "|---|---|",
        *(
            f"| {SOURCES.get(kind, (f'own records ({kind})', 'not stated'))[0]} | "
            f"{SOURCES.get(kind, ('', 'not stated'))[1]} |"
            for kind in kinds
        ),
        "",
        "## How it was made",
        "",
        f"plumbline {__version__}; seed {config.seed}, bootstrap seed {config.bootstrap.seed}.",
        "",
        "| model | asked as | revision | engine |",
        "|---|---|---|---|",
        *(
            f"| {slug} | {model.model or slug} | {model.revision or 'not pinned'} | {model.engine} |"
            for slug, model in models.items()
        ),
        "",
    ]
    return "\n".join(lines)
