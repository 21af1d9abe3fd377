"""A rule runs again when the code that makes its output changes: what its script imports is in its digest."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "scripts" / "plumbline"

# Settings reach a rule as params of their own; these modules carry arguments and files around.
NEVER = ("command", "config/*", "*/__init__")
# How an answer comes into the journal does not change what the journal holds.
HTTP = ("account", "child", "claims", "client", "clock", "engines", "exact_answers", "faults")
HTTP += ("first_token", "lane", "limits", "progress", "server_time")
HTTP += ("scrubbing", "simulated", "wire")
ON_THE_WIRE = tuple(f"models/{name}" for name in HTTP)
# Parsers change often, and answers are paid for once: a stage that asks does not depend on them.
PARSERS = ("answers/*", "models/asking", "models/journal", "records/*", "corpora/values")
PLAN_PARSERS = ("plans/call_objects", "plans/marked", "plans/parsing", "plans/pythonic")
VERDICT_PARSERS = ("judging/reading", "judging/verdict_objects")
OF_JUDGES = tuple(
    f"judging/{name}" for name in ("blocks", "prometheus*", "reading", "requests", "simulation")
)
OF_JUDGES += ("judging/verdict*", "plans/scoring")
# Imported for what is not used here: the digest of `scoring` is a param of simulated judges alone, values are
# looked for in rewrites only when these are read.
# Read the run's files for a job, or hand requests over: what they carry is an input or has its own digest.
CARRIERS = ("arguments/*asking", "arguments/*material", "arguments/tokens", "models/tokens")
CARRIERS += ("models/prompts", "models/requests", "plans/call_objects")
FILES = ("records/errors", "records/files", "records/statuses", "records/wheels")
OF_CALLS = ("plans/*", "arguments/datasets/*")
OF_JUDGMENTS = ("arguments/first_token", "arguments/reading", "arguments/input_paths", "arguments/paths/*")
OF_REFERENCES = tuple(f"arguments/references/{name}" for name in ("evidence", "parser", "reading", "typed"))
EXEMPT = {
    "build_states": CARRIERS,
    "build_calls": CARRIERS,
    "fit_states": (*CARRIERS, *FILES),
    "build_items": FILES,
    "ask_relocations": (*ON_THE_WIRE, *PARSERS, *CARRIERS),
    "read_relocations": (*ON_THE_WIRE, *CARRIERS),
    "ask_proposals": (*ON_THE_WIRE, *PARSERS, *CARRIERS, *OF_CALLS),
    "read_proposals": (*ON_THE_WIRE, *CARRIERS),
    "ask_value_references": (*ON_THE_WIRE, *PARSERS, *CARRIERS, *OF_REFERENCES, *PLAN_PARSERS),
    "read_value_references": (*ON_THE_WIRE, *CARRIERS),
    "make_value_references": (*CARRIERS, *FILES),
    "ask_judgments": (*ON_THE_WIRE, *PARSERS, *CARRIERS, *OF_JUDGMENTS),
    "read_judgments": (*ON_THE_WIRE, *CARRIERS),
    "match_judgments": CARRIERS,
    # where queries come from is no matter of judgments, and stands in the collected plans before any claim
    "collect_judgments": ("corpora/tier_queries",),
    "make_claims": ("corpora/tier_queries",),
    # the sources were read before
    "collect_records": ("corpora/*", "corpora/synthesis/*", "models/*", "answers/*"),
    "ask_synthesis": (*ON_THE_WIRE, *PARSERS),
    "read_synthesis": ON_THE_WIRE,
    "make_synthesis_yield": ("models/*", "answers/*", "statistics/*"),
    "ask_rewrites": (*ON_THE_WIRE, *PARSERS),
    "read_rewrites": ON_THE_WIRE,
    "sample_triplets": ("models/*", *PARSERS),  # the rewrites were read before
    "draw_study": ("models/*", *PARSERS),  # the rewrites were read before
    "ask_opinions": (*ON_THE_WIRE, *PARSERS),
    "read_opinions": ON_THE_WIRE,
    "ask_plans": (*ON_THE_WIRE, *PARSERS, *PLAN_PARSERS),
    "read_plans": (*ON_THE_WIRE, "corpora/values"),
    "ask_verdicts": (*ON_THE_WIRE, *PARSERS, *VERDICT_PARSERS, "plans/scoring"),
    # a derivation sees no plan: how judges are asked is imported, but is no part of it
    "ask_references": (*ON_THE_WIRE, *PARSERS, *PLAN_PARSERS, *VERDICT_PARSERS, *OF_JUDGES),
    "read_references": (*ON_THE_WIRE, "corpora/values", *OF_JUDGES),
    "read_verdicts": (*ON_THE_WIRE, "plans/scoring", "corpora/values"),
    # rewrites and opinions were read before
    "make_corpus_result": ("models/*", "answers/*"),
    # the front page reads tables; it makes none
    "make_front_page": ("statistics/*", "records/*"),
}


def module_file(name: str) -> Path | None:
    place = LIBRARY.parent.joinpath(*name.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.exists()), None)


def reached(start: Path) -> set[Path]:
    """Modules of the library that a script runs, directly or through others."""
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        for node in ast.walk(ast.parse(waiting.pop().read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("plumbline"):
                names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            for file in filter(None, map(module_file, names)):
                if file not in found:
                    found.add(file)
                    waiting.append(file)
    return found


def digests() -> dict[str, set[Path]]:
    """The files in each rule's digest, by the rule's script."""
    shared = [(ROOT / "rules" / name).read_text() for name in ("common.smk", "argument_common.smk")]
    groups = dict(re.findall(r"^([A-Z]+) = (\(.*?\))", "\n".join(shared), re.M | re.S))
    found: dict[str, set[Path]] = {}
    for file in sorted((ROOT / "rules").glob("*.smk")):
        for rule in re.split(r"^ *rule\b", file.read_text(), flags=re.M)[1:]:
            script = re.search(r"scripts/(\w+)\.py", rule)
            call = re.search(r"code=code_digest\((.*?)\),\n", rule, re.S)
            if script and call:
                kept, _, dropped = call[1].partition("without=")
                for name, value in groups.items():
                    kept = kept.replace(f"*{name}", value)
                files = {file for name in re.findall(r'"([^"]+)"', kept) for file in files_of(name)}
                found[script[1]] = files - {
                    LIBRARY / f"{name}.py" for name in re.findall(r'"([^"]+)"', dropped)
                }
    return found


def files_of(module: str) -> set[Path]:
    place = LIBRARY / module
    return set(place.rglob("*.py")) if place.is_dir() else {place.with_suffix(".py")}


@pytest.mark.parametrize("script", digests())
def test_what_makes_an_output_is_in_its_rule_s_digest(script: str) -> None:
    patterns = [*NEVER, *EXEMPT.get(script, ())]
    missing = [
        str(file.relative_to(LIBRARY))
        for file in reached(ROOT / "scripts" / f"{script}.py") - digests()[script]
        if not any(file.relative_to(LIBRARY).match(f"{pattern}.py") for pattern in patterns)
    ]
    assert missing == []


def test_every_file_of_a_digest_exists() -> None:
    assert [file for files in digests().values() for file in files if not file.exists()] == []


def test_every_rule_with_a_digest_was_looked_at() -> None:
    assert {
        "read_source",
        "perturb_plans",
        "read_verdicts",
        "make_table",
        "write_manifest",
    } <= digests().keys()
