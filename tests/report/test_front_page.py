import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from selenium.webdriver.common.by import By

from plumbline.config import paths
from plumbline.config.settings import RunConfig
from plumbline.report.cautions import cautions
from plumbline.report.contents import contents
from plumbline.report.front_page import front_page
from plumbline.report.headline import headlines
from plumbline.tables.registry import TABLES

ROOT = Path(__file__).parents[2]

ALIGNMENT = pd.DataFrame(
    [
        ("gen_a", "judge_b", 90.0, 80.0, 70.06, 60.0, 8),
        ("gen_a", "judge_a", None, None, 50.0, 50.0, 8),
        ("gen_b", "judge_b", 100.0, 84.0, None, 60.5, 8),
        ("gen_b", "judge_a", None, None, 52.0, 50.0, 8),
    ],
    columns=[
        "generator",
        "judge",
        "easy.with_gt",
        "easy.without_gt",
        "hard.with_gt",
        "hard.without_gt",
        "easy.with_gt.n",
    ],
)
LIFT = pd.DataFrame(
    [("judge_b", 15.45, 1.25, 30.0, None), ("judge_a", None, None, None, "no plan under both")],
    columns=["judge", "lift", "lo", "hi", "reason"],
)
COVERAGE = pd.DataFrame(
    [
        ("judge_b", "gen_a", "easy", "with_gt", 8, 8, 100.0),
        ("judge_b", "gen_b", "hard", "with_gt", 8, 0, 0.0),
        ("judge_a", "gen_a", "easy", "with_gt", 0, 0, None),
        ("judge_a", "gen_b", "hard", "without_gt", 8, 7, 87.5),
    ],
    columns=["judge", "generator", "tier", "condition", "asked", "ok", "coverage"],
)
PLANS = pd.DataFrame(
    [
        ("gen_a", "easy", 8, 8, 100.0),
        ("gen_b", "hard", 8, 3, 37.5),
        ("gen_b", "total", 16, 11, 68.75),
        ("total", "total", 32, 27, 84.375),
    ],
    columns=["generator", "tier", "possible", "ok", "rate"],
)
FRAMES = {"alignment": ALIGNMENT, "gt_lift": LIFT, "coverage": COVERAGE, "plan_status": PLANS}
MANIFEST = {
    "run": "tiny",
    "plumbline": "9.8.7",
    "python": "3.11.2",
    "packages": {"snakemake": "9.27.1"},
    "models": {
        "small": {
            "engine": "endpoint",
            "model": "<b>maker/small</b>",
            "revision": "r7",
            "decoding": {"temperature": 0.6},
        }
    },
    "prompts": {"judge.user.md": "0123456789abcdef"},
    "data": {"records": {"sha256": "fedcba9876543210", "count": 8, "by_source": {"starter": 5, "bfcl": 3}}},
    "seeds": {"run": 1, "bootstrap": 42},
}


def configured(engine="endpoint", tables=tuple(TABLES)):
    model = {"engine": engine} | ({"base_url": "http://localhost/v1"} if engine == "endpoint" else {})
    return RunConfig.model_validate(
        {
            "run": "tiny",
            "corpus": {"sources": {"starter": {"kind": "starter"}}},
            "tiers": ["easy", "hard"],
            "models_from": None,
            "models": {"small": model},
            "generators": {"gen_a": {"model": "small"}, "gen_b": {"model": "small"}},
            "judges": {"judge_b": {"model": "small"}, "judge_a": {"model": "small"}},
            "conditions": {
                "with_gt": {"prompt": "judge_with_gt", "reference": "expected"},
                "without_gt": {"prompt": "judge_without_gt"},
            },
            "blocks": {"main": {"conditions": ["with_gt", "without_gt"], "tables": list(tables)}},
        }
    )


@pytest.fixture(scope="module")
def overview(tmp_path_factory):
    """The front page as the workflow makes it: by the script, from files."""
    folder = tmp_path_factory.mktemp("results") / "tiny"
    (folder / "tables").mkdir(parents=True)
    (folder / "config.json").write_text(configured().model_dump_json(), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    page = folder / "tables" / "overview.html"
    command = [sys.executable, "scripts/make_front_page.py", "--config", folder / "config.json"]
    command += ["--manifest", folder / "manifest.json", "--output", page]
    for name, frame in FRAMES.items():
        file = folder / "tables" / f"main.{name}.csv"
        frame.to_csv(file, index=False)
        command += ["--table", f"{name}={file}"]
    subprocess.run(command, check=True, cwd=ROOT)
    return page


@pytest.fixture
def opened(browser, overview):
    return browser.open(overview)


def cells(driver, judge):
    row = driver.find_element(By.CSS_SELECTOR, f"tr[data-judge={judge}]")
    return [cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td")]


def test_the_headline_is_the_mean_of_the_tables_cells(opened):
    with_gt, without_gt = (90.0 + 70.06 + 100.0) / 3, (80.0 + 60.0 + 84.0 + 60.5) / 4
    assert cells(opened, "judge_b")[:4] == [
        f"{with_gt:.1f}",
        f"{without_gt:.1f}",
        "+15.45",
        "+1.25 to +30.00",
    ]
    assert cells(opened, "judge_b")[-1].split() == ["50.0", "%", "8", "of", "16"]


def test_a_lift_that_is_missing_says_why(opened):
    assert cells(opened, "judge_a") == ["51.0", "50.0", "–", "", "", "87.5 % 7 of 8"]
    missing = opened.find_element(By.CSS_SELECTOR, "tr[data-judge=judge_a] .null")
    assert missing.get_attribute("title") == "No value: no plan under both"


def test_an_interval_is_drawn_to_scale(opened):
    drawn = opened.find_element(By.CSS_SELECTOR, "tr[data-judge=judge_b] svg")
    place = {
        name: float(drawn.find_element(By.CSS_SELECTOR, f".{name}").get_attribute(key))
        for name, key in (("zero", "x1"), ("reach", "x1"), ("mean", "cx"))
    }
    end = float(drawn.find_element(By.CSS_SELECTOR, ".reach").get_attribute("x2"))
    per_point = (end - place["zero"]) / 30.0
    assert place["reach"] == pytest.approx(place["zero"] + 1.25 * per_point, abs=0.02)
    assert place["mean"] == pytest.approx(place["zero"] + 15.45 * per_point, abs=0.02)


def test_the_page_says_what_was_measured_and_with_what(opened):
    text = opened.find_element(By.TAG_NAME, "body").text
    assert (
        "2 judges scored the plans that 2 generators wrote for 8 records (5 from starter and 3 from bfcl)"
        in text
    )
    assert "27 of 32" in text
    assert "<b>maker/small</b> r7 0.6" in text
    opened.find_element(By.TAG_NAME, "summary").click()
    assert "SHA-256 0123456789ab…" in opened.find_element(By.TAG_NAME, "details").text


def test_every_result_is_listed_and_its_link_leads_to_its_file(opened, overview):
    found = {link.get_attribute("href") for link in opened.find_elements(By.CSS_SELECTOR, ".list a")}
    root = overview.parents[2]
    wanted = set()
    for name, spec in TABLES.items():
        for condition in ("with_gt", "without_gt") if spec.by_condition else (None,):
            if spec.kind == "figure":
                wanted.add(Path(paths.figure("tiny", "main", name, condition, root=root)).as_uri())
            else:
                wanted.add(Path(paths.table("tiny", "main", name, "html", condition, root=root)).as_uri())
    assert found == wanted


def test_inside_another_page_nothing_is_linked(browser, overview, tmp_path):
    copy = tmp_path / "frame.html"
    copy.write_text(overview.read_text(encoding="utf-8"), encoding="utf-8")
    driver = browser.open(copy)
    assert driver.find_elements(By.CSS_SELECTOR, ".list a") == []
    assert len(driver.find_elements(By.CSS_SELECTOR, ".list b")) >= len(TABLES)


@pytest.mark.parametrize("width", [400, 1200])
def test_the_front_page_asks_for_nothing_fits_and_logs_no_error(browser, overview, width):
    driver = browser.open(overview, width=width)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:"))] == []
    assert browser.complaints() == []


def test_a_wrong_table_option_says_what_to_write(overview):
    folder = overview.parents[1]
    command = [sys.executable, "scripts/make_front_page.py", "--config", folder / "config.json"]
    command += ["--manifest", folder / "manifest.json", "--output", folder / "x.html", "--table", "alignment"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "--table alignment: write NAME=FILE" in ended.stderr


@pytest.mark.parametrize(
    ("engine", "words"), [("embedded", "no evidence about LLM judges"), ("simulated", "stated error model")]
)
def test_demonstration_judges_are_called_so(engine, words):
    config = configured(engine)
    assert words in cautions(config, {}, {}, [])[0]
    assert cautions(configured(), {}, {}, []) == []


def test_cautions_name_few_records_and_low_coverage():
    rows = headlines(configured(), FRAMES)
    found = " ".join(cautions(configured(), MANIFEST, FRAMES, rows))
    assert "Only 8 records" in found
    assert "In 2 cells of 4 less than 90 %" in found
    assert "fewest (0.0 %) for judge_b on gen_b, hard, with_gt" in found
    assert "Less than 90 % of the plans could be read: gen_b hard (37.5 %). " in found
    assert "gen_a" not in found


def test_a_judge_without_a_readable_verdict_is_named():
    silent = ALIGNMENT.assign(**{"hard.with_gt": None, "hard.without_gt": None})
    rows = headlines(configured(), {"alignment": silent})
    assert cautions(configured(), {}, {}, rows) == ["No verdict of judge_a could be read."]


@pytest.mark.parametrize("given", [{}, {"alignment": ALIGNMENT}, {"coverage": COVERAGE}])
def test_a_run_without_these_tables_still_has_a_front_page(given):
    text = front_page(configured(), MANIFEST, given)
    assert ("No headline table" in text) == ("alignment" not in given)
    assert "Lift <span" not in text


def test_the_contents_hold_what_the_blocks_ask_for_alone():
    listed = contents(configured(tables=["coverage", "topology_heat_map"]))
    assert {question: [entry.address for entry in entries] for question, entries in listed.items()} == {
        TABLES["topology_heat_map"].question: [
            "../figures/main.topology_heat_map.with_gt.svg",
            "../figures/main.topology_heat_map.without_gt.svg",
        ],
        TABLES["coverage"].question: ["main.coverage.html"],
    }
