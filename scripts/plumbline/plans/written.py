"""How a plan is written down as text."""

from __future__ import annotations

import json
from collections.abc import Iterable

from plumbline.records.model import ExpectedCall, ToolCall


def plan_text(calls: Iterable[ToolCall | ExpectedCall]) -> str:
    """Write calls as a model would write its plan: a JSON array of names and arguments."""
    named = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return json.dumps(named, ensure_ascii=False)
