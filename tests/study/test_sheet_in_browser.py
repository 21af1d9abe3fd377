"""The annotation sheet in a real browser: ten plans are annotated with clicks and keys, and read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from tables.conftest import Experiment

from plumbline.config.settings import Scoring
from plumbline.records import METRICS, write_json_lines
from plumbline.study.items import StudyItem
from plumbline.study.reading import read_annotations
from plumbline.study.sheet import sheet_page
from plumbline.tables.annotators import agreement_table, disagreements_table
from plumbline.tables.human import alignment_table

ATTACK = '</script><script>document.title = "taken"</script><img src=x onerror="document.title = 1">'


class Sheet:
    """An open sheet, and what a person does with it."""

    def __init__(self, browser: Browser, items: list[StudyItem], folder: Path, width: int = 1280) -> None:
        self.browser, self.folder = browser, folder
        self.page = folder / "sheet.html"
        self.page.write_text(sheet_page(items, "tiny"), encoding="utf-8")
        self.driver = browser.open(self.page, width)
        self.driver.execute_script("localStorage.clear()")
        browser.open(self.page, width)
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
        )

    def begin(self, name: str = "Ana María") -> Sheet:
        self.find("#name").send_keys(name + Keys.ENTER)
        return self

    def find(self, selector: str) -> Any:
        """The first element that is shown."""
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return next((element for element in found if element.is_displayed()), found[0])

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def click(self, metric: str, value: int) -> None:
        self.find(f"article:not([hidden]) [data-metric={metric}] input[value='{value}']").click()

    def export(self, ending: str) -> Path:
        file = self.folder / f"annotations.ana_maria.{ending}"
        self.find(f"#export-{ending}").click()
        WebDriverWait(self.driver, 20).until(lambda _: file.exists() and file.stat().st_size > 0)
        return file

    def take(self, file: Path) -> None:
        self.driver.find_element(By.ID, "file").send_keys(str(file))

    @property
    def told(self) -> str:
        return str(self.find("#told").text)


@pytest.fixture
def open_sheet(browser: Browser, tmp_path: Path) -> Callable[..., Sheet]:
    return lambda items, **options: Sheet(browser, items, tmp_path, **options)


def annotate_ten(sheet: Sheet) -> dict[int, tuple[int, int, int, int]]:
    """Annotate five plans with keys and five with clicks; even ones disagree with parameter structure."""
    said = {}
    for place in range(10):
        said[place] = (1, place % 2, 1, 1)
        if place < 5:
            sheet.press("a", "a" if place % 2 else "d", "a", "a")
            if not place % 2:
                sheet.press("2", "r")
                sheet.press(f"=reason, {place}", Keys.ESCAPE)
            sheet.press("n")
        else:
            for metric, mark in zip(METRICS, said[place], strict=True):
                sheet.click(metric, mark)
            sheet.find("article:not([hidden]) [data-step='1']").click()
    return said


def test_ten_plans_are_annotated_kept_exported_and_read_into_the_tables(
    open_sheet: Callable[..., Sheet], sample: list[StudyItem], tmp_path: Path
) -> None:
    sheet = open_sheet(sample).begin()
    said = annotate_ten(sheet)
    assert sheet.told.startswith(f"10 of {len(sample)} plans, 40 of {4 * len(sample)} scores")
    assert "2 disagreements without a reason" in sheet.told
    sheet.driver.refresh()
    assert sheet.told.startswith("10 of")
    assert sheet.find("#who").text == "Ana María"
    assert sheet.find("article:not([hidden])").get_attribute("id") == "plan-11"
    files = [sheet.export("csv"), sheet.export("json")]
    assert "nothing to export" in sheet.find("#saved").text

    by_id = {item.id: item for item in sample}
    for file in files:
        found = read_annotations(file, set(by_id), by_id)
        assert (found.annotator, found.problems, found.lines) == ("Ana María", (), len(sample))
        marks = found.frame.set_index("record_id")
        for place, expected in said.items():
            row = marks.loc[sample[place].id]
            assert tuple(row[f"agree_{metric}"] for metric in METRICS) == expected
        assert marks["agree_sequence"].notna().sum() == 10
        assert marks.loc[sample[0].id, "reason_parameter_structure"] == "=reason, 0"
    for file in files:
        inputs = tables_of(tmp_path, sample, file)
        frame = agreement_table(inputs).frame.set_index("name")
        assert frame.loc["all", ["agree", "disagree", "total"]].tolist() == [35, 5, 40]
        assert frame.loc["parameter_structure", "agreement_pct"] == 50
        assert len(disagreements_table(inputs).frame) == 5
        assert alignment_table(inputs).frame["n"].tolist()[0] == 10


def tables_of(folder: Path, sample: list[StudyItem], file: Path) -> Any:
    """A run whose plans are those of the sample."""
    scores = {item.id: tuple(item.scores.values()) for item in sample}
    made = Experiment(
        folder,
        records={item.id: item.topology for item in sample},
        plan=lambda record, *_: scores[record],
        verdict=lambda *_: (1, 1, 1, 1),
        generators=["faults"],
        tiers=["hard"],
        settings={"human": {"annotations": str(file)}},
    )
    write_json_lines(sample, folder / "results" / "small" / "study" / "sample.jsonl")
    return made.inputs()


def test_an_export_is_taken_on_another_machine_and_a_strange_file_is_not(
    open_sheet: Callable[..., Sheet], sample: list[StudyItem], tmp_path: Path
) -> None:
    sheet = open_sheet(sample).begin()
    sheet.press("a", "d", "n", "a")
    files = [sheet.export("csv"), sheet.export("json")]
    for file in files:
        sheet.driver.execute_script("localStorage.clear()")
        sheet.driver.refresh()
        sheet.begin("Bob")
        assert sheet.told.startswith(f"0 of {len(sample)} plans, 0 of")
        sheet.take(file)
        WebDriverWait(sheet.driver, 20).until(lambda _: "3 scores taken" in sheet.find("#alarm").text)
        assert f"3 of {4 * len(sample)} scores" in sheet.told
    strange = tmp_path / "strange.csv"
    strange.write_text("name,score\na,1\n")
    sheet.take(strange)
    WebDriverWait(sheet.driver, 20).until(lambda _: "strange.csv was not taken" in sheet.find("#alarm").text)
    assert f"3 of {4 * len(sample)} scores" in sheet.told


def test_annotators_of_one_browser_are_kept_apart(
    open_sheet: Callable[..., Sheet], sample: list[StudyItem]
) -> None:
    sheet = open_sheet(sample).begin("Ana")
    sheet.press("a")
    sheet.find("#who").click()
    sheet.begin("Bob")
    assert ", 0 of" in sheet.told
    sheet.find("#who").click()
    sheet.find("#earlier button").click()
    assert sheet.find("#who").text == "Ana"
    assert ", 1 of" in sheet.told
    sheet.press("x")


def test_what_models_wrote_does_nothing(
    open_sheet: Callable[..., Sheet], an_item: Callable[..., StudyItem]
) -> None:
    tool = {"name": ATTACK, "description": ATTACK, "parameters": {"properties": {ATTACK: {"type": ATTACK}}}}
    call = {"name": ATTACK, "arguments": {ATTACK: ATTACK}}
    item = an_item(
        ATTACK, query=ATTACK, tools=[tool], calls=[call], expected_calls=[{"id": "1", "name": "f"}]
    )
    sheet = open_sheet([item]).begin(ATTACK[:60])
    sheet.press("t", "a")
    assert sheet.driver.title == "Annotation – tiny"
    assert sheet.find("article h2").text == ATTACK
    assert json.loads(sheet.find(".argument td code").text) == ATTACK
    assert sheet.driver.find_elements(By.TAG_NAME, "img") == []
    assert len(sheet.driver.find_elements(By.TAG_NAME, "script")) == 1
    assert sheet.browser.complaints() == []
    asked = {address for address in sheet.browser.requests() if not address.startswith("blob:")}
    assert asked == {sheet.page.resolve().as_uri()}


def test_leaving_is_warned_of_where_the_browser_keeps_nothing(
    open_sheet: Callable[..., Sheet], sample: list[StudyItem]
) -> None:
    sheet = open_sheet(sample).begin()
    sheet.driver.execute_script("Storage.prototype.setItem = () => { throw new Error('full') }")
    sheet.press("a")
    assert "keeps nothing" in sheet.find("#alarm").text
    prevented = "const e = new Event('beforeunload', {cancelable: true}); window.dispatchEvent(e);"
    prevented += " return e.defaultPrevented"
    assert sheet.driver.execute_script(prevented) is True
    sheet.export("json")
    assert sheet.driver.execute_script(prevented) is False


@pytest.mark.parametrize("width", [1280, 800])
def test_the_page_fits_its_width_and_every_field_has_a_name(
    open_sheet: Callable[..., Sheet], sample: list[StudyItem], width: int
) -> None:
    sheet = open_sheet(sample, width=width).begin()
    sheet.press("t")
    size = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    for _ in sample:
        needed, given = sheet.driver.execute_script(size)
        assert needed <= given
        sheet.press("n")
    fields = sheet.driver.find_elements(
        By.CSS_SELECTOR, "article:not([hidden]) :is(input, textarea, button:not(.clear))"
    )
    assert len(fields) == 8 + 5 + 3
    assert all(field.accessible_name for field in fields)


def test_the_sheet_explains_how_this_run_scores(an_item: Callable[..., StudyItem]) -> None:
    other = Scoring(extra_keys="schema_aware", coverage_extras="penalise")
    pages = [sheet_page([an_item("a")], "tiny", scoring) for scoring in (Scoring(), other)]
    assert ["Share of expected tools that" in page for page in pages] == [True, False]
    assert ["Share of called tools that" in page for page in pages] == [False, True]
    assert ["others that the tool declares" in page for page in pages] == [False, True]
