"""Answers to every stage of a synthesis, written by hand: sound ones for each topology, and broken ones."""

from __future__ import annotations

import json
from typing import Any

FUNCTIONS = {
    "find_item": ("def find_item(code: str) -> dict", "Finds a rental item by its code; returns its ids."),
    "check_stock": ("def check_stock(item_id: str) -> dict", "Tells how many pieces of an item are free."),
    "get_price": ("def get_price(item_id: str) -> dict", "Gives the price of an item for one day."),
    "reserve_item": (
        "def reserve_item(item_id: str, days: int, note: str = '') -> dict",
        "Reserves an item for some days; returns the reservation.",
    ),
    "make_quote": (
        "def make_quote(price: float, free: int) -> dict",
        "Offers from price and stock.",
    ),
    "find_part": ("def find_part(part_id: str) -> dict", "Finds the part that a part is mounted on."),
    "log_visit": ("def log_visit(name: str) -> bool", "Notes that a customer came by."),
    "list_depots": ("def list_depots() -> list", "Lists all depots."),
    "close_depot": ("def close_depot(depot_id: str) -> None", "Closes a depot for the day."),
}
PARAMETERS = {
    "find_item": {"code": "string"},
    "check_stock": {"item_id": "string"},
    "get_price": {"item_id": "string"},
    "reserve_item": {"item_id": "string", "days": "integer", "note": "string"},
    "make_quote": {"price": "number", "free": "integer"},
    "find_part": {"part_id": "string"},
    "log_visit": {"name": "string"},
    "list_depots": {},
    "close_depot": {"depot_id": "string"},
}
RETURNS = dict.fromkeys(PARAMETERS, "object") | {
    "log_visit": "boolean",
    "list_depots": "array",
    "close_depot": "null",
}

CODES = {
    "linear": 'a = find_item(code="PX-114")\nb = reserve_item(item_id=a["item_id"], days=4)',
    "fan_out": 'a = find_item(code="PX-114")\nb = check_stock(item_id=a["item_id"])\n'
    'c = get_price(item_id=a["item_id"])',
    "fan_in": 'a = check_stock(item_id="IT-9001")\nb = get_price(item_id="IT-9001")\n'
    'c = make_quote(price=b["price"], free=a["free"])',
    "diamond": 'a = find_item(code="PX-114")\nb = check_stock(item_id=a["item_id"])\n'
    'c = get_price(item_id=a["item_id"])\nd = make_quote(price=c["price"], free=b["free"])',
    "optional_enrichment": 'a = find_item(code="PX-114")\n'
    'b = reserve_item(item_id=a["item_id"], days=4)\nlog_visit(name="Mara")',
    "loop_like": 'a = find_part(part_id="PT-100")\nb = find_part(part_id=a["part_id"])',
}
UTTERANCES = {
    "linear": "Please look up the excavator PX-114 and reserve it for four days.",
    "fan_out": "How many of PX-114 are free right now, and what does it cost for a day?",
    "fan_in": "Check stock and daily price of IT-9001 and turn both into an offer.",
    "diamond": "Make me an offer for PX-114, with what it costs and how many of them are free.",
    "optional_enrichment": "Reserve PX-114 for 4 days, and please note that Mara came by.",
    "loop_like": "Which part is the one that PT-100 sits on mounted on itself?",
}
RESULTS = {
    "find_item": {"item_id": "IT-9001", "depot_id": "DEP-7"},
    "check_stock": {"free": 1734},
    "get_price": {"price": 249.5},
    "reserve_item": {"reservation_id": "RES-55"},
    "make_quote": {"quote_id": "Q-1"},
    "log_visit": True,
}


def _steps(topology: str) -> list[dict[str, Any]]:
    item, price, free = "IT-9001", 249.5, 1734
    arguments = {
        "linear": [{"code": "PX-114"}, {"item_id": item, "days": 4}],
        "fan_out": [{"code": "PX-114"}, {"item_id": item}, {"item_id": item}],
        "fan_in": [{"item_id": item}, {"item_id": item}, {"price": price, "free": free}],
        "diamond": [{"code": "PX-114"}, {"item_id": item}, {"item_id": item}, {"price": price, "free": free}],
        "optional_enrichment": [{"code": "PX-114"}, {"item_id": item, "days": 4}, {"name": "Mara"}],
        "loop_like": [{"part_id": "PT-100"}, {"part_id": "PT-200"}],
    }[topology]
    tools = [line.split("(")[0].split("= ")[-1] for line in CODES[topology].split("\n")]
    returns = [RESULTS.get(tool) for tool in tools]
    if topology == "loop_like":
        returns = [{"part_id": "PT-200"}, {"part_id": "PT-300"}]
    return [
        {"tool": tool, "arguments": given, "returns": returned, "description": f"Uses {tool}."}
        for tool, given, returned in zip(tools, arguments, returns, strict=True)
    ]


def good(stage: str, topology: str, domain: str = "equipment_rental") -> dict[str, Any]:
    """Give a sound answer."""
    calls = len(CODES[topology].split("\n"))
    if stage == "scenario":
        return {
            "title": f"{topology} in {domain}",
            "situation": "A customer is at the counter.",
            "goal": "Serve the customer.",
            "sub_goals": [f"step {number}" for number in range(1, calls + 1)],
        }
    if stage == "tools":
        return {
            "functions": [{"signature": text, "description": words} for text, words in FUNCTIONS.values()]
        }
    if stage == "pseudocode":
        return {"code": CODES[topology]}
    if stage == "utterance":
        return {"utterance": UTTERANCES[topology]}
    if stage == "schemas":
        return {"tools": [_schema(name) for name in FUNCTIONS]}
    return {"steps": _steps(topology)}


def _schema(name: str) -> dict[str, Any]:
    properties = {key: {"type": kind, "description": key} for key, kind in PARAMETERS[name].items()}
    required = [key for key in properties if key != "note"]
    return {
        "name": name,
        "description": FUNCTIONS[name][1],
        "parameters": {"type": "object", "properties": properties, "required": required},
        "returns": {"type": RETURNS[name]},
    }


PHRASES = {
    "scenario": "invent one task",
    "tools": "now write the tools",
    "pseudocode": "Write down which tools solve the task",
    "utterance": "Write what the employee says",
    "schemas": "Turn each function below",
    "trace": "Write down how the calls run",
}


def stage_of(body: dict[str, Any]) -> str:
    """Tell which stage a request is about."""
    prompt = body["messages"][0]["content"]
    return next(stage for stage, phrase in PHRASES.items() if phrase in prompt)


def topology_of_request(body: dict[str, Any]) -> str:
    """Tell which topology a request is about: by its shape, its scenario or its calls."""
    prompt = body["messages"][0]["content"]
    for topology in CODES:
        shown = json.dumps(CODES[topology])
        if f"({topology.replace('_', ' ')})" in prompt or f'"{topology} in ' in prompt or shown in prompt:
            return topology
    raise AssertionError(prompt[:400])


def is_again(body: dict[str, Any]) -> bool:
    """Whether a request says what was wrong with an answer."""
    return "A program checked your answer" in body["messages"][-1]["content"]
