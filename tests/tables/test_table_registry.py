import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from plumbline.config import paths
from plumbline.tables.registry import TABLES

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize("spec", TABLES.values(), ids=TABLES.keys())
def test_every_entry_names_a_builder_that_exists(spec):
    module, function = spec.builder.split(":")
    assert callable(getattr(import_module(f"plumbline.tables.{module}"), function))


@pytest.mark.parametrize("spec", TABLES.values(), ids=TABLES.keys())
def test_every_entry_has_a_caption(spec, project_root):
    assert len((project_root / spec.caption).read_text(encoding="utf-8").split()) > 20


def test_reading_the_registry_loads_no_library_that_draws():
    code = "import sys, plumbline.tables.registry; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_paths_are_as_the_layout_says():
    assert (
        paths.verdicts("run", "ada", "gen", "hard", "with_gt")
        == "results/run/verdicts/ada/gen/hard/with_gt.jsonl"
    )
    assert paths.scores("{run}", "{generator}", "{tier}") == "results/{run}/scores/{generator}/{tier}.parquet"
    assert paths.table("run", "main", "gt_lift", "csv") == "results/run/tables/main.gt_lift.csv"
    assert paths.figure("run", "main", "fault_heat_map", "with_gt") == (
        "results/run/figures/main.fault_heat_map.with_gt.svg"
    )
    assert paths.records("run", root=Path("/data")) == "/data/run/records.jsonl"


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, SCRIPTS / f"{script}.py", *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_scripts_go_from_the_files_of_a_run_to_a_table_and_a_figure(experiment):
    made = experiment(plan=lambda *_: (1, 1, 1, 0.5))
    made.write()
    folder = made.folder / "results/small"
    config = ("--config", folder / "config.json")
    frames = {
        "--plans": folder / "tables/main.plans.parquet",
        "--verdicts": folder / "tables/main.verdicts.parquet",
    }
    run("collect_plans", *config, "--block", "main", "--output", frames["--plans"])
    run(
        "collect_verdicts",
        *config,
        *("--block", "main", "--plans", frames["--plans"], "--output", frames["--verdicts"]),
    )
    given = [*config, "--block", "main", *(part for pair in frames.items() for part in pair)]
    run("make_table", *given, "--table", "alignment", "--csv", folder / "a.csv", "--html", folder / "a.html")
    run(
        "make_figure",
        *given,
        "--figure",
        "topology_heat_map",
        "--condition",
        "with_gt",
        "--svg",
        folder / "a.svg",
    )
    head, first = (folder / "a.csv").read_text().splitlines()[:2]
    assert head.startswith("generator,judge,easy.with_gt,easy.without_gt,hard.with_gt")
    # (1 + 1 + 1 + .5) / 4
    assert first.startswith("gen,ada,87.5,87.5,87.5")
    assert "87.5" in (folder / "a.html").read_text()
    assert (folder / "a.svg").read_text().lstrip().startswith("<?xml")
