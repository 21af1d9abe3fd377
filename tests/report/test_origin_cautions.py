"""The front page says first where numbers come from if no LLM was asked."""

from plumbline.config.settings import RunConfig
from plumbline.report.cautions import cautions


def config(engine, **changes):
    return RunConfig.model_validate(
        {
            "run": "r",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "models": {"m": {"engine": engine}},
            "generators": {"gen": {"model": "m"}},
            "judges": {"ada": {"model": "m"}},
            "conditions": {"c": {"prompt": "p"}},
            "blocks": {"main": {"conditions": ["c"]}},
            **changes,
        }
    )


def test_simulated_judges_and_generators_are_named():
    judges, plans = cautions(config("simulated"), {}, {}, [])
    assert judges.startswith("ada: simulated.")
    assert plans.startswith("Plans of gen: simulated as well")


def test_released_numbers_that_differ_from_ours_are_told():
    check = {
        "scores": {"compared": 50, "differ": 2, "first": ["r1 (gen, hard, ada; f:1): sequence 1 here 0.5"]},
        "alignment_with_gt": {"compared": 50, "differ": 0, "first": []},
    }
    manifest = {"data": {"released": {"check": check}}}
    found = cautions(config("released", released={"folder": "data"}), manifest, {}, [])
    assert found == [
        "Plans and verdicts are those that the authors released; no model was asked.",
        "Released scores: 2 of 50 rows differ from what we compute, first "
        "r1 (gen, hard, ada; f:1): sequence 1 here 0.5.",
    ]
