"""The library's rooms: each imports only those before it, and one of them alone speaks HTTP."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parent.parent / "scripts" / "plumbline"
ROOMS = (
    "records",
    "config",
    "answers",
    "models",
    "corpora",
    "plans",
    "judging",
    "arguments",
    "estimation",
    "status",
    "study",
    "tables",
    "release",
    "report",
)
"""In the order of the design; `statistics` knows none of them, and the modules beside them may use all."""

SPEAKS_HTTP = {"aiohttp", "http", "httpx", "httpx2", "openai", "requests", "socket", "urllib", "urllib3"}


def imported(file: Path) -> set[str]:
    """Every module that a file imports, inside functions and for type checking too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def rooms_used(folder: Path) -> set[str]:
    """The second part of each name of the library that the modules of a room import."""
    names = {name for file in folder.rglob("*.py") for name in imported(file)}
    return {name.split(".")[1] for name in names if name.startswith("plumbline.")}


def test_every_folder_of_the_library_is_a_room() -> None:
    folders = {path.parent.name for path in LIBRARY.glob("*/__init__.py")}
    assert folders <= {*ROOMS, "statistics"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_before_it(room: str) -> None:
    before = {*ROOMS[: ROOMS.index(room) + 1], "statistics", "__version__"}
    assert rooms_used(LIBRARY / room) - before == set()


def test_statistics_knows_no_room() -> None:
    assert rooms_used(LIBRARY / "statistics") == {"statistics"}


def test_models_alone_speaks_http() -> None:
    for file in LIBRARY.rglob("*.py"):
        if file.relative_to(LIBRARY).parts[0] != "models":
            used = {name.split(".")[0] for name in imported(file)}
            assert not used & SPEAKS_HTTP, file
