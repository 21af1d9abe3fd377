"""slurm/profile.yaml as Snakemake reads it: a site gives names; what it leaves out is Slurm's to choose."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from snakemake.profiles import ProfileConfigFileParser

NAMES = {
    "PLUMBLINE_SLURM_ACCOUNT": "lab",
    "PLUMBLINE_SLURM_PARTITION": "short",
    "PLUMBLINE_SLURM_GPU_PARTITION": "fast",
}


@pytest.fixture
def profile(project_root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Read the profile with these names set and all others unset."""

    def read(**names: str) -> dict[str, Any]:
        for name in NAMES:
            # the profile sets what is missing; `setenv` makes sure that it is undone
            monkeypatch.setenv(name, names.get(name, ""))
            if name not in names:
                monkeypatch.delenv(name)
        with (project_root / "slurm/profile.yaml").open() as stream:
            return dict(ProfileConfigFileParser().parse(stream))

    return read


def test_account_and_partition_come_from_the_environment(profile: Any) -> None:
    defaults = profile(**NAMES)["default-resources"]
    assert {"slurm_account=lab", "slurm_partition=short"} <= set(defaults)
    assert not any("fast" in resource for resource in defaults)


def test_names_that_a_site_leaves_out_are_slurm_s_to_choose(profile: Any) -> None:
    assert not any(resource.startswith("slurm_") for resource in profile()["default-resources"])


def test_memory_and_time_grow_with_each_try(profile: Any) -> None:
    defaults = dict(resource.split("=", 1) for resource in profile()["default-resources"])
    for name in ("mem_mb", "runtime"):
        first, second = (eval(defaults[name], {"attempt": attempt}) for attempt in (1, 2))
        assert second == 2 * first


def test_no_stamp_is_made_by_snakemake_itself(project_root: Path) -> None:
    # a job that Slurm lost passes for done; its stamp must not appear with that
    rules = "\n".join(file.read_text() for file in sorted((project_root / "rules").glob("*.smk")))
    assert re.findall(r"\btouch\(", rules) == []
    asking = re.findall(r"python scripts/ask_\w+\.py", rules)
    assert len(asking) == rules.count("tee {log} >&2 && touch {output:q}")
