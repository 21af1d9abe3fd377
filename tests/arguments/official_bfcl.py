"""BFCL's official checker, from the wheel that a run reads: an oracle, not a dependency."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from plumbline.records import UserError
from plumbline.records.wheels import WHEELS, fetch_wheel

Check = Callable[[dict[str, Any], dict[str, Any], dict[str, Any]], dict[str, Any]]

# what the checker imports and Python calls do not need: settings of models with their SDKs, other languages
_STUBS = {
    "bfcl_eval.constants.model_config": {"MODEL_CONFIG_MAPPING": {}},
    "bfcl_eval.eval_checker.ast_eval.type_convertor.java_type_converter": {"java_type_converter": None},
    "bfcl_eval.eval_checker.ast_eval.type_convertor.js_type_converter": {"js_type_converter": None},
}


def bfcl_wheel(folder: Path, project: Path) -> Path:
    """The wheel that a run has fetched, else one fetched now; the test is skipped without it."""
    path = project / "results" / "sources" / "bfcl.whl"
    path = path if path.exists() else folder / "bfcl.whl"
    try:
        fetch_wheel(WHEELS["bfcl"], path)
    except UserError as error:
        pytest.skip(f"no wheel of bfcl to be had: {error}")
    return path


@contextmanager
def official_check(wheel: Path) -> Iterator[Check]:
    """The checker of one call: function description, call, gold -> its report."""
    before = dict(sys.modules)
    for name, content in _STUBS.items():
        stub = types.ModuleType(name)
        vars(stub).update(content)
        sys.modules[name] = stub
    sys.path.insert(0, str(wheel))
    try:
        module = importlib.import_module("bfcl_eval.eval_checker.ast_eval.ast_checker")
        enums = importlib.import_module("bfcl_eval.constants.enums")
        module.convert_func_name = lambda name, model: name  # type: ignore[attr-defined]
        yield lambda function, call, gold: module.simple_function_checker(
            function, call, gold, enums.Language.PYTHON, "none"
        )
    finally:
        sys.path.remove(str(wheel))
        for name in set(sys.modules) - set(before):
            del sys.modules[name]
