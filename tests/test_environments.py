"""The environments of the rules: complete, pinned, the same for conda and for pip."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from test_code_digests import LIBRARY, ROOT, reached

ENVS = ROOT / "envs"
NAMES = sorted(file.stem for file in ENVS.glob("*.in"))
# run as programs of their own, so that no script imports them
SERVERS = {"embedded": ("models/llamacpp_server.py", "models/openvino_server.py", "models/client.py")}


def requirements(file: Path) -> dict[str, Requirement]:
    lines = (line for line in file.read_text().splitlines() if line and not line.startswith("#"))
    return {plain(each.name): each for each in map(Requirement, lines)}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def rules() -> Iterator[tuple[str, str]]:
    """The script of each rule with its environment."""
    for file in sorted((ROOT / "rules").glob("*.smk")):
        for rule in re.split(r"^ *rule\b", file.read_text(), flags=re.M)[1:]:
            script = re.search(r"python scripts/(\w+)\.py", rule)
            environment = re.search(r'conda:\s*"../envs/(\w+)\.yaml"', rule)
            if script and environment:
                yield script[1], environment[1]


def modules_of(environment: str) -> set[Path]:
    """Python files that run in an environment."""
    starts = [ROOT / "scripts" / f"{script}.py" for script, name in rules() if name == environment]
    starts += [LIBRARY / name for name in SERVERS.get(environment, ())]
    if environment == "controller":
        starts = [LIBRARY / "cli.py", *rule_imports()]
    return {file for start in starts for file in (start, *reached(start))}


def rule_imports() -> list[Path]:
    """Modules of the library that the rules import."""
    named = re.findall(r"^ *from (plumbline\S*) import (.+)$", (ROOT / "rules/common.smk").read_text(), re.M)
    found = []
    for module, names in named:
        place = LIBRARY.parent.joinpath(*module.split("."))
        inside = [place / f"{name.strip()}.py" for name in names.split(",")]
        found += [
            file for file in (place.with_suffix(".py"), place / "__init__.py", *inside) if file.exists()
        ]
    return found


def imported(file: Path) -> set[str]:
    """Packages that a file imports, also inside its functions, without the standard library and ours."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"plumbline"}


def test_conda_and_pip_get_the_same_pins() -> None:
    assert NAMES == ["controller", "embedded", "statistics", "vllm"]
    for name in NAMES:
        listed = yaml.safe_load((ENVS / f"{name}.yaml").read_text())["dependencies"]
        assert listed[:2] == ["python=3.11", "pip"]
        text = (ENVS / f"{name}.txt").read_text().splitlines()
        assert listed[2]["pip"] == [line for line in text if not line.startswith("#")]


@pytest.mark.parametrize("name", NAMES)
def test_every_pin_is_one_version_and_what_is_asked_for(name: str) -> None:
    pinned = requirements(ENVS / f"{name}.txt")
    for pin in pinned.values():
        (specifier,) = pin.specifier
        assert specifier.operator == "=="
    for wanted, requirement in requirements(ENVS / f"{name}.in").items():
        (specifier,) = pinned[wanted].specifier
        assert requirement.specifier.contains(specifier.version)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "vllm"])
def test_what_is_asked_for_is_asked_for_by_the_package_too(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = {*project["dependencies"], *project["optional-dependencies"]["cluster"]}
    assert {str(requirement) for requirement in requirements(ENVS / f"{name}.in").values()} <= known


@pytest.mark.parametrize("name", [name for name in NAMES if name != "vllm"])
def test_what_a_job_imports_is_in_its_environment(name: str) -> None:
    pinned = requirements(ENVS / f"{name}.txt").keys()
    distributions = packages_distributions()
    files = modules_of(name)
    assert len(files) > 5
    missing = {
        (package, file.name)
        for file in files
        for package in imported(file)
        if not pinned & {plain(known) for known in distributions.get(package, [package])}
    }
    assert missing == set()


@pytest.mark.parametrize("image", ["plumbline", "vllm"])
def test_images_are_made_of_the_same_pins(image: str) -> None:
    text = (ENVS / f"{image}.def").read_text()
    copied = dict(re.findall(r"^ +(envs/\S+) (/opt/\S+)$", text, re.M))
    assert "envs/vllm.txt" in copied
    for file, place in copied.items():
        assert (ROOT / file).is_file()
        assert f"-r {place}" in text
    # these two share an environment in the image
    one, other = (requirements(ENVS / f"{name}.txt") for name in ("statistics", "embedded"))
    assert {name: one[name] for name in one.keys() & other.keys()} == {
        name: other[name] for name in one.keys() & other.keys()
    }


def test_every_rule_has_an_environment_of_this_folder() -> None:
    used = {environment for _, environment in rules()}
    assert used <= set(NAMES)
    assert {"embedded", "statistics"} <= used


def test_jobs_that_ask_vllm_do_not_run_inside_its_environment() -> None:
    assert "vllm" not in {environment for _, environment in rules()}
    # the plugin that talks to Slurm and vLLM cannot share one: they ask for different versions of numpy
    assert requirements(ENVS / "controller.txt")["numpy"] != requirements(ENVS / "vllm.txt")["numpy"]
