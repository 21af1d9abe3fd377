"""What a run was made with: enough to make it again, and to see why two runs differ."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from plumbline import __version__
from plumbline.config.argument_cells import all_models, used_datasets
from plumbline.config.resolved import Workspace
from plumbline.config.settings import RunConfig
from plumbline.models.engines import weights_file
from plumbline.records import Record, read_json_lines

PACKAGES = (
    "snakemake",
    "openai",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "matplotlib",
    "openvino-genai",
    "xllamacpp",
)


def manifest_of(workspace: Workspace) -> str:
    """Describe a run as JSON text.

    The text holds no time and no host, so that the same run gives the same bytes.

    Returns
    -------
    str
        Keys `run`, `plumbline`, `python`, `packages`, `models`, `prompts` (SHA-256 by file), `data` (SHA-256
        and counts), `seeds`, `config` (as resolved; it names environment variables, never what they hold).
    """
    settings = workspace.settings
    content: dict[str, Any] = {
        "run": settings.run,
        "plumbline": __version__,
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := _version(name)) is not None},
        "models": {slug: _model(workspace, slug) for slug in all_models(settings)},
        "prompts": _prompts(Path(settings.prompts.folder)),
        "data": _data(workspace),
        "seeds": _seeds(settings),
        "config": settings.model_dump(mode="json"),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _seeds(settings: RunConfig) -> dict[str, int]:
    seeds = {"run": settings.seed, "bootstrap": settings.bootstrap.seed}
    if settings.arguments is not None:
        seeds["arguments.bootstrap"] = settings.arguments.bootstrap.seed
    return seeds


def _model(workspace: Workspace, slug: str) -> dict[str, Any]:
    model = workspace.settings.models[slug]
    found: dict[str, Any] = {
        "engine": model.engine,
        "model": model.model or slug,
        "revision": model.revision,
        "decoding": model.decoding.model_dump(mode="json"),
    }
    if model.engine == "embedded":
        found["file"] = model.embedded.file
        found["sha256"] = _sha256(weights_file(slug, model))
    return found


def _prompts(folder: Path) -> dict[str, str]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in (".md", ".yaml"))
    return {file.relative_to(folder).as_posix(): _sha256(file) for file in files}


def _data(workspace: Workspace) -> dict[str, Any]:
    if not workspace.settings.judges_plans:
        return {"arguments": _arguments(workspace)}
    file = workspace.path("records")
    records = read_json_lines(file, Record)
    by_source: dict[str, int] = {}
    for record in records:
        by_source[record.source] = by_source.get(record.source, 0) + 1
    wheels = sorted((workspace.root / "sources").glob("*.whl"))
    return {
        "records": {"sha256": _sha256(file), "count": len(records), "by_source": by_source},
        "wheels": {wheel.stem: _sha256(wheel) for wheel in wheels if wheel.stem in by_source},
        **_released(workspace),
        **({"arguments": _arguments(workspace)} if workspace.settings.arguments is not None else {}),
    }


def _arguments(workspace: Workspace) -> dict[str, Any]:
    """Give the digest and the number of the states of each data set of argument judging."""
    found = {}
    for dataset in used_datasets(workspace.settings):
        file = workspace.path("states", dataset)
        with file.open("rb") as stream:
            found[dataset] = {"sha256": _sha256(file), "states": sum(1 for _ in stream)}
    return found


def _released(workspace: Workspace) -> dict[str, Any]:
    """Give what the import of released files met; nothing if models were asked."""
    if workspace.settings.released is None:
        return {}
    return {"released": json.loads(workspace.path("released_report").read_text(encoding="utf-8"))}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
