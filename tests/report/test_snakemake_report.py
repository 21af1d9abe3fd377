"""The pages inside the file that `snakemake --report` writes, in a real browser."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from plumbline.report.page import table_page
from plumbline.tables.drawing import heat_map, svg_text
from plumbline.tables.registry import TABLES
from plumbline.tables.result import TableResult

CAPTIONS = Path(__file__).parents[2] / "resources" / "captions"
ATTACK = "<img src=x onerror=\"document.title='taken'\">"

WORKFLOW = """
configfile: "config.json"
report: "{captions}/workflow.rst"

rule all:
    input: "shown.html", "with_gt.svg", "without_gt.svg"

rule table:
    input: "table.html"
    output:
        report(
            "shown.html",
            category="Main results",
            caption="{captions}/alignment.rst",
            labels={{"result": "Alignment", "form": "table"}},
        ),
    shell: "cp {{input}} {{output}}"

rule figure:
    input: "heat.svg"
    output:
        report(
            "{{condition}}_gt.svg",
            category="RQ1 Which metrics",
            caption="{captions}/topology_heat_map.rst",
            labels={{"result": "Alignment by topology", "condition": "{{condition}}_gt"}},
        ),
    shell: "cp {{input}} {{output}}"
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    frame = pd.DataFrame({"judge": ["judge_b", ATTACK], "n": [20, 3]})
    (folder / "table.html").write_text(
        table_page(TableResult(frame, {}), TABLES["alignment"], "tiny"), encoding="utf-8"
    )
    matrix = pd.DataFrame([[70.0, 80.0]], index=["judge_b"], columns=["fan_in", "fan_out"])
    (folder / "heat.svg").write_text(svg_text(heat_map(matrix, title="Heat")), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"run": "tiny"}), encoding="utf-8")
    (folder / "Snakefile").write_text(WORKFLOW.format(captions=CAPTIONS), encoding="utf-8")
    for arguments in (["--cores", "1"], ["--report", "report.html"]):
        command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--directory", folder, *arguments]
        subprocess.run([*command, "--snakefile", folder / "Snakefile"], check=True, capture_output=True)
    return folder / "report.html"


def wait_for(driver, path):
    return WebDriverWait(driver, 20).until(
        lambda driver: next((e for e in driver.find_elements(By.XPATH, path) if e.is_displayed()), None)
    )


def test_the_report_shows_words_pages_and_toggles_without_any_request(browser, report):
    driver = browser.open(report)
    assert "Judges Follow the Reference" in wait_for(driver, "//*[contains(text(), 'two papers')]").text
    wait_for(driver, "//a[normalize-space()='Main results']").click()
    wait_for(driver, "//td//a").click()
    driver.switch_to.frame(wait_for(driver, "//iframe"))
    driver.find_element(By.CSS_SELECTOR, "button[data-name=n]").click()
    shown = [row.text for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr")]
    assert shown == [f"{ATTACK} 3", "judge_b 20"]
    driver.switch_to.default_content()
    assert driver.title != "taken"
    wait_for(driver, "//a[normalize-space()='Results']").click()
    wait_for(driver, "//a[normalize-space()='RQ1 Which metrics']").click()
    assert wait_for(driver, "//*[normalize-space()='without_gt']")
    outside = [address for address in browser.requests() if address.startswith(("http:", "https:", "ws"))]
    assert outside == []
    assert [line for line in browser.complaints() if line.startswith("SEVERE")] == []
