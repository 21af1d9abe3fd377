"""The two embedded backends on the same prompts: prompt tokens per second and verdicts per second.

Verdict prompts of about 2,000 tokens, two of each record with the record's part first, constrained to the
verdict's schema. Prompt speed is measured with one-token answers to prompts that share nothing.

    python benchmarks/embedded_engines.py --json
"""

import json
import os
import tempfile
import time
from pathlib import Path

import click

from plumbline.config.models import Decoding, Model
from plumbline.models import Request, ask, serve

METRICS = ("tool_selection", "parameter_structure", "sequence", "query_coverage")
MARK = {
    "type": "object",
    "properties": {"accuracy": {"enum": [0, 0.5, 1]}, "justification": {"type": "string", "maxLength": 60}},
    "required": ["accuracy", "justification"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": dict.fromkeys(METRICS, MARK),
    "required": list(METRICS),
    "additionalProperties": False,
}
RULES = "Judge the structure of the plan and nothing else: which tools it calls, how, in what order. " * 12


def verdict_prompt(record, plan):
    """Give a judge's prompt; what recurs comes first."""
    tools = [
        {
            "name": f"look_up_{record}_{number}",
            "description": "Returns the entry of one customer, order or invoice by its identifier.",
            "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        }
        for number in range(20)
    ]
    calls = [{"name": f"look_up_{record}_{number}", "arguments": {"id": f"A{plan}"}} for number in range(3)]
    return (
        f"{RULES}\n\nTools:\n{json.dumps(tools)}\n\nPlan:\n{json.dumps(calls)}\n\nGive the verdict as JSON."
    )


def seconds_of(model, texts, decoding, schema=None):
    """Ask all texts; give the report and the seconds it took, the server's start left out."""
    items = [
        Request(f"i{number}", ({"role": "user", "content": text},), decoding, schema)
        for number, text in enumerate(texts)
    ]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        report = ask(items, "small", model, journal=Path(folder), lane="bench", total=len(items))
        return report, time.perf_counter() - start


def measure(backend, concurrency, records):
    """Start one backend and measure both speeds."""
    model = Model(engine="embedded", concurrency=concurrency, embedded={"backend": backend})
    with serve("small", model) as endpoint:
        os.environ["BENCH_KEY"] = endpoint.api_key
        settings = {"model": "small", "api_key_env": "BENCH_KEY", "concurrency": concurrency}
        served = Model(engine="endpoint", base_url=endpoint.base_url, **settings)
        unlike = [f"Case {record}. {verdict_prompt(record, 0)}" for record in range(100, 100 + records)]
        report, took = seconds_of(served, unlike, Decoding(max_tokens=1))
        prompt_speed = report.prompt_tokens / took
        texts = [verdict_prompt(record, plan) for record in range(records) for plan in range(2)]
        report, took = seconds_of(served, texts, Decoding(max_tokens=400), SCHEMA)
    return {
        "prompt_tokens_per_s": round(prompt_speed, 1),
        "verdicts_per_s": round(len(texts) / took, 4),
        "answer_tokens": report.completion_tokens,
    }


@click.command()
@click.option("--records", default=3, show_default=True, help="Records; two verdicts of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(records, as_json):
    """Compare the backends in one run."""
    result = {
        "openvino": measure("openvino", 6, records),
        "llamacpp": measure("llamacpp", 2, records),
    }
    for speed in ("prompt_tokens_per_s", "verdicts_per_s"):
        result[f"ratio_{speed}"] = round(result["openvino"][speed] / result["llamacpp"][speed], 2)
    print(json.dumps(result) if as_json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
