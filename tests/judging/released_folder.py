"""A folder in the layout of the authors' release, with rows made up after its public list of fields."""

import json

METRICS = ("tool_selection", "parameter_structure", "sequence", "query_coverage")
HEX = "0123456789abcdef0123456789abcd"
IDS = [f"fan_in_{HEX}{number:02}" for number in range(4)]


def function(name, *keys):
    properties = {key: {"type": "string"} for key in keys}
    parameters = {"type": "dict", "properties": properties, "required": list(keys)}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}


TOOLS = [function("stock.count", "item"), function("find_price", "item"), function("order", "item", "count")]
EXPECTED = [
    {"name": "stock.count", "arguments": {"item": "bolt"}},
    {"name": "find_price", "arguments": {"item": "bolt"}},
    {"name": "order", "arguments": {"item": "bolt", "count": "7"}},
]


def record(identifier):
    return {
        "id": identifier,
        "dag_type": "fan_in",
        "query": "Order seven bolts if there are too few.",  # the other name of user_message
        "query_medium": "get more bolts, seven of them",
        "query_hard": "7 bolts",
        "rewrite_medium_status": "OK",
        "rewrite_hard_status": "OK",
        "system_prompt": "Answer in our format.",
        "available_tools": json.dumps(TOOLS),
        "expected_responses": None,
        "expected_tool_calls": EXPECTED,
    }


def calls(*names, inside=False):
    """Generated calls; type and id stand inside or beside the function."""
    plan = []
    for place, name in enumerate(names):
        arguments = next(call["arguments"] for call in EXPECTED if call["name"] == name)
        more = {"type": "function", "id": f"step{place}"}
        body = {"name": name, "arguments": arguments}
        plan.append({"function": {**body, **more}} if inside else {"function": body, **more})
    return plan


ALL = ("stock.count", "find_price", "order")
# by arithmetic (equations 1 to 4): all three calls; and the first two of three
PERFECT = dict(zip(METRICS, (1.0, 1.0, 1.0, 1.0), strict=True))
TWO_OF_THREE = dict(zip(METRICS, (0.6667, 1.0, 0.6667, 0.6667), strict=True))


def generated(identifier, plan):
    return {"id": identifier, "dag_type": "fan_in", "user_message": "?", "generated_tool_calls": plan}


def response(*marks, reverse=False, text=False):
    names = [f"{metric}_accuracy" for metric in METRICS]
    found = {
        name: {"accuracy": mark, "justification": f"why {name}"}
        for name, mark in zip(names, marks, strict=True)
        if mark is not None
    } | {"overall_assessment": "fine"}
    if reverse:
        found = dict(reversed(found.items()))
    return json.dumps(found) if text else found


def percent(reference, marks):
    matches = [
        0 if mark is None else 1 - abs(reference[m] - mark) for m, mark in zip(METRICS, marks, strict=True)
    ]
    return round(100 * sum(matches) / 4, 2)


def judged(identifier, plan, reference, with_gt, without_gt, **more):
    """A judged row: marks of both conditions (None for a condition without an answer)."""
    row = {
        **generated(identifier, plan),
        "judge_response": None if with_gt is None else response(*with_gt),
        "judge_response_no_gt": None if without_gt is None else response(*without_gt),
        "programmatic_judge_response": {f"{m}_accuracy": {"accuracy": reference[m]} for m in METRICS},
        "per_metric_comparison": {},
        "overall_llm_alignment_percentage": None if with_gt is None else percent(reference, with_gt),
        "overall_llm_alignment_percentage_no_gt": (
            None if without_gt is None else percent(reference, without_gt)
        ),
    }
    return {**row, **more}


def write_rows(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")


def write_release(folder):
    """Write a small release: four records, generators Llama and SmolLM, one tier, two judges.

    Llama: four plans. SmolLM: one plan, one unreadable one, two missing. Gemini judges Llama's first three
    plans (the fourth row is null) and leaves out a metric once; QwQ has no file.
    """
    write_rows(folder / "records.jsonl", [record(name) for name in IDS])
    llama = [calls(*ALL), json.dumps(calls(*ALL)), calls(*ALL[:2], inside=True), calls(*ALL)]
    rows = [generated(name, plan) for name, plan in zip(IDS, llama, strict=True)]
    write_rows(folder / "generated/Llama-3.3-70B-Instruct/hard.jsonl", rows)
    smol = [generated(IDS[0], calls(*ALL)), generated(IDS[1], "I would rather not say.")]
    write_rows(folder / "generated/SmolLM3-3B/hard.jsonl", [*smol, dict.fromkeys(smol[0])])
    where = {"model": "Llama-3.3-70B-Instruct", "difficulty": "Hard"}
    packed = judged(IDS[1], llama[1], PERFECT, (1, 1, 1, 0.5), None, **where)
    packed |= {"judge_response": response(1, 1, 1, 0.5, reverse=True, text=True)}
    packed |= {"programmatic_judge_response": json.dumps(packed["programmatic_judge_response"])}
    rows = [
        judged(IDS[0], llama[0], PERFECT, (1, 0.5, 1, 1), (1, 1, 1, 1), **where),
        packed,
        judged(IDS[2], llama[2], TWO_OF_THREE, (0.5, 1, None, 0.5), (1, 1, 1, 0.7), **where, colour="red"),
        dict.fromkeys(generated("", "")),
    ]
    write_rows(folder / "judge_gemini_2_5_pro.jsonl", rows)
    return folder
