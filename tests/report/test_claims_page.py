"""The page of the paper's claims, as the workflow makes it: by the script, from files."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from selenium.webdriver.common.by import By

from plumbline.config.settings import RunConfig
from plumbline.records import METRICS
from plumbline.report.claims_page import claims_told, outcomes
from plumbline.report.frames import named_tables
from plumbline.report.front_page import front_page

ROOT = Path(__file__).parents[2]
GENERATORS = ("llama_3_3_70b", "llama_3_1_8b", "qwen3_32b", "smollm3_3b", "gpt_5_4")


def configured(engine="endpoint"):
    model = {"engine": engine} | ({"base_url": "http://localhost/v1"} if engine == "endpoint" else {})
    return RunConfig.model_validate(
        {
            "run": "tiny",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "models_from": None,
            "models": {"small": model},
            "generators": {name: {"model": "small"} for name in GENERATORS},
            "judges": {"qwq_32b": {"model": "small"}},
            "conditions": {"with_gt": {"prompt": "judge_with_gt", "reference": "expected"}},
            "blocks": {"main": {"conditions": ["with_gt"]}},
        }
    )


def made(folder, engine="endpoint", source="agentjudgebench"):
    """The page of a run with one table: accuracy of the generators, one of five as the paper has it."""
    tables = folder / "tiny" / "tables"
    tables.mkdir(parents=True)
    (folder / "tiny" / "config.json").write_text(configured(engine).model_dump_json(), encoding="utf-8")
    plans = pd.DataFrame(
        [(f"r{n}", g, t) for n in range(2) for g in GENERATORS for t in ("easy", "medium", "hard")],
        columns=["record_id", "generator", "tier"],
    )
    plans = plans.assign(source=source, domain="d", topology="linear", plan_status="ok", calls=1)
    plans.assign(**{f"reference_{metric}": 1.0 for metric in METRICS}).to_parquet(tables / "plans.parquet")
    accuracy = pd.DataFrame({"generator": GENERATORS}).assign(easy=50.0, medium=50.0, hard=50.0)
    accuracy.loc[0, ["easy", "medium", "hard"]] = [96.1, 92.9, 80.0]
    accuracy.to_csv(tables / "main.generator_accuracy.csv", index=False)
    command = [sys.executable, "scripts/make_claims.py", "--config", folder / "tiny" / "config.json"]
    command += ["--plans", tables / "plans.parquet", "--csv", tables / "claims.csv"]
    command += ["--table", f"generator_accuracy={tables / 'main.generator_accuracy.csv'}"]
    subprocess.run([*command, "--html", tables / "claims.html"], check=True, cwd=ROOT)
    return tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return made(tmp_path_factory.mktemp("claims"))


def accuracy(frame, generator):
    rows = frame[frame["claim"].str.startswith(f"accuracy of {generator}, ")]
    return rows.set_index(rows["claim"].str.split(", ").str[1])


def test_each_claim_has_a_line_with_both_numbers_and_what_became_of_it(tables):
    frame = pd.read_csv(tables / "claims.csv")
    # the paper has 96.1, 92.5 and 84.5; the tolerance is 0.5
    found = accuracy(frame, "llama_3_3_70b")
    assert found["paper"].to_dict() == {"easy": "96.1", "medium": "92.5", "hard": "84.5"}
    assert found["ours"].to_dict() == {"easy": "96.10", "medium": "92.90", "hard": "80.00"}
    assert found["result"].to_dict() == {"easy": "reproduced", "medium": "reproduced", "hard": "differs"}
    assert found["difference"].to_dict() == pytest.approx({"easy": 0, "medium": 0.4, "hard": -4.5})
    assert set(found["same_experiment"]) == {"other count"}
    lost = frame[frame["result"] == "not run"]
    assert lost["why"].notna().all()
    assert "the table agreement_summary is not in the run" in set(lost["why"])
    assert frame["item"].tolist() == sorted(frame["item"], key=lambda item: int(item.split(",")[0][1:]))


def test_the_page_counts_filters_and_asks_for_nothing(browser, tables):
    frame = pd.read_csv(tables / "claims.csv")
    driver = browser.open(tables / "claims.html")
    counts = frame["result"][frame["source"] != "derived"].value_counts()
    derived = int((frame["source"] == "derived").sum())
    assert derived > 0
    tiles = {
        tile.find_element(By.TAG_NAME, "span").text: int(tile.find_element(By.TAG_NAME, "b").text)
        for tile in driver.find_elements(By.CSS_SELECTOR, ".tile")
    }
    assert tiles == {
        "reproduced": counts["reproduced"],
        "differs": counts["differs"],
        "not run": counts["not run"],
        "same setting": counts["same setting"],
        "derived": derived,
    }
    driver.find_element(By.ID, "filter").send_keys("accuracy of llama_3_3_70b")
    shown = [row for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr") if row.is_displayed()]
    assert len(shown) == 3
    assert [address for address in browser.requests() if address.startswith(("http", "ws"))] == []
    assert browser.complaints() == []


@pytest.mark.parametrize(
    ("engine", "source", "words"),
    [
        ("endpoint", "starter", "no claim is tested"),
        ("simulated", "agentjudgebench", "Simulation: answers here were drawn"),
    ],
)
def test_a_run_that_says_nothing_about_the_paper_says_so_above_the_table(tmp_path, engine, source, words):
    folder = made(tmp_path, engine, source)
    page = (folder / "claims.html").read_text(encoding="utf-8")
    assert words in page.split("<table")[0]
    frame = accuracy(pd.read_csv(folder / "claims.csv"), "llama_3_3_70b")
    if source == "starter":
        assert set(frame["result"]) == {"not run"}
        assert frame["ours"].tolist() == ["96.10", "92.90", "80.00"]
    else:
        assert set(frame["same_experiment"]) == {"simulation"}


def test_the_overview_counts_the_claims_and_links_to_them():
    claims = pd.DataFrame(
        {
            "item": "A1",
            "claim": ["records", "<b>domains</b>", "topologies"],
            "unit": None,
            "paper": ["3,808", "15", "6"],
            "ours": ["3,808", None, None],
            "result": ["reproduced", "not run", "not run"],
        }
    )
    told = claims_told(outcomes(claims))
    assert told == "Of 3 numbers that the paper states: 1 reproduced, 0 differs, 2 not run."
    more = claims.assign(source=["paper", "derived", "draft"])
    assert claims_told(outcomes(more)) == (
        "Of 2 numbers that the paper states: 1 reproduced, 0 differs, 1 not run. "
        "1 more follow from its figures, and are not in this count."
    )
    page = front_page(configured(), {}, {"claims": claims})
    assert told in page
    assert '<a href="claims.html">' in page
    assert "All 3 claims" in page
    assert "&lt;b&gt;domains&lt;/b&gt;" in page and "<b>domains" not in page
    assert "claims.html" not in front_page(configured(), {}, {})


def test_a_table_of_several_blocks_keeps_their_order_and_names_stay_text(tmp_path):
    for block, judge in (("a", "4"), ("b", "nan")):
        pd.DataFrame({"judge": [judge], "value": [None]}).to_csv(tmp_path / f"{block}.csv", index=False)
    found = named_tables([f"x={tmp_path / 'a.csv'}", f"x={tmp_path / 'b.csv'}"])
    assert [frame["judge"].tolist() for frame in found["x"]] == [["4"], ["nan"]]
    assert found["x"][0]["value"].isna().all()
