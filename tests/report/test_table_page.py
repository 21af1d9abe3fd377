import re

import pandas as pd
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from plumbline.report.page import table_page
from plumbline.report.templating import number
from plumbline.tables.registry import TABLES
from plumbline.tables.result import Column, TableResult

ATTACK = '<script>document.title = "taken"</script>'
SPEC = TABLES["alignment"]


@pytest.fixture
def result():
    frame = pd.DataFrame(
        {
            "judge": ["judge_10", "judge_9", ATTACK, "judge_2"],
            "align": [9.25, 100.0, None, -20.04],
            "align_reason": [None, None, 'lost: 3 "malformed"', None],
            "n": [12, 7, 0, 1200],
        }
    )
    columns = {
        "judge": Column("Judge", help="Who <judged>."),
        "align": Column("Alignment", unit="%", digits=1, help="How close."),
        "n": Column("N"),
    }
    return TableResult(frame, columns, ("Rests on 3 of 4 cells.",), frozenset({(1, "align")}))


@pytest.fixture
def opened(browser, result, tmp_path):
    page = tmp_path / "table.html"
    page.write_text(table_page(result, SPEC, "tiny", block="main"), encoding="utf-8")
    return browser.open(page)


def column(driver, place):
    rows = driver.find_elements(By.CSS_SELECTOR, "tbody tr")
    return [row.find_elements(By.CSS_SELECTOR, "th, td")[place].text for row in rows if row.is_displayed()]


def head(driver, name):
    return driver.find_element(By.CSS_SELECTOR, f"button[data-name={name}]")


def order(driver, name):
    return head(driver, name).find_element(By.XPATH, "..").get_attribute("aria-sort")


def test_numbers_sort_as_numbers_and_missing_ones_come_last_both_ways(opened):
    assert column(opened, 1) == ["9.3", "100.0", "–", "−20.0"]
    head(opened, "align").click()
    assert column(opened, 1) == ["−20.0", "9.3", "100.0", "–"]
    assert order(opened, "align") == "ascending"
    head(opened, "align").click()
    assert column(opened, 1) == ["100.0", "9.3", "−20.0", "–"]
    assert order(opened, "align") == "descending"
    head(opened, "n").click()
    assert column(opened, 2) == ["0", "7", "12", "1200"]
    assert order(opened, "align") == "none"


def test_a_heading_sorts_from_the_keyboard(opened):
    head(opened, "judge").send_keys(Keys.ENTER)
    assert column(opened, 0)[-3:] == ["judge_2", "judge_9", "judge_10"]
    head(opened, "judge").send_keys(Keys.SPACE)
    assert column(opened, 0)[:3] == ["judge_10", "judge_9", "judge_2"]


def test_the_filter_keeps_rows_that_hold_every_word(opened):
    box = opened.find_element(By.ID, "filter")
    box.send_keys("JUDGE_ -20")
    assert column(opened, 0) == ["judge_2"]
    assert opened.find_element(By.ID, "count").text == "1 of 4 rows"
    box.clear()
    box.send_keys(" ")
    assert len(column(opened, 0)) == 4
    assert opened.find_element(By.ID, "count").text == "4 rows"


def test_what_a_model_wrote_is_shown_and_never_run(opened):
    assert ATTACK in column(opened, 0)
    assert opened.title == f"{SPEC.title} – tiny"


def test_a_missing_value_says_why(opened):
    cell = opened.find_element(By.CSS_SELECTOR, "td.null")
    assert cell.get_attribute("title") == 'No value: lost: 3 "malformed"'
    assert "align_reason" not in opened.page_source


def test_headings_carry_units_and_help_and_the_best_is_bold(opened):
    assert head(opened, "align").text.split() == ["Alignment", "%"]
    assert head(opened, "judge").get_attribute("title") == "Who <judged>."
    assert [cell.text for cell in opened.find_elements(By.CSS_SELECTOR, "td.bold")] == ["100.0"]
    numeric = opened.find_elements(By.CSS_SELECTOR, "tbody tr:first-child .number")
    assert [cell.value_of_css_property("text-align") for cell in numeric] == ["right", "right"]


def test_the_heading_stays_in_sight(browser, tmp_path):
    frame = pd.DataFrame({"judge": [f"judge_{place}" for place in range(200)], "n": range(200)})
    page = tmp_path / "long.html"
    page.write_text(table_page(TableResult(frame, {}), SPEC, "tiny"), encoding="utf-8")
    driver = browser.open(page)
    before = head(driver, "n").rect["y"]
    driver.execute_script("document.querySelector('.scroll').scrollTop = 3000")
    assert head(driver, "n").rect["y"] == before
    assert driver.execute_script("return document.querySelector('.scroll').scrollTop") == 3000


def test_a_page_asks_for_nothing_but_itself_and_logs_no_error(browser, opened):
    head(opened, "align").click()
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:"))] == []
    assert browser.complaints() == []


def test_the_policy_of_a_page_forbids_connections(browser, opened):
    outcome = opened.execute_async_script(
        "const done = arguments[0];"
        "fetch('http://127.0.0.1:9/').then(() => done('sent'), () => done('refused'))"
    )
    assert outcome == "refused"
    assert any("Content Security Policy" in complaint for complaint in browser.complaints())


def test_sentences_keep_a_width_that_can_be_read_beside_many_columns(browser, tmp_path):
    frame = pd.DataFrame(
        {"name": ["a"], **{f"column_{n}": [1.0] for n in range(12)}, "meaning": ["word " * 20]}
    )
    page = tmp_path / "prose.html"
    page.write_text(table_page(TableResult(frame, {}), SPEC, "tiny"), encoding="utf-8")
    cell = browser.open(page, width=800).find_elements(By.CSS_SELECTOR, "tbody td")[-1]
    assert cell.rect["width"] >= 16 * 14
    assert cell.rect["height"] < 160


def test_a_narrow_screen_scrolls_the_table_and_not_the_page(browser, tmp_path):
    frame = pd.DataFrame([["a_judge_with_a_long_name"] + [50.0] * 12], columns=list("abcdefghijklm"))
    page = tmp_path / "wide.html"
    page.write_text(table_page(TableResult(frame, {}), SPEC, "tiny"), encoding="utf-8")
    driver = browser.open(page, width=400, height=800)
    assert driver.execute_script("return document.documentElement.scrollWidth") == 400
    inner, outer = driver.execute_script(
        "const box = document.querySelector('.scroll'); return [box.scrollWidth, box.clientWidth]"
    )
    assert inner > outer


def test_a_table_without_rows_says_so(result):
    text = table_page(TableResult(result.frame[:0], result.columns), SPEC, "tiny")
    assert "This table has no rows" in text
    assert "0 rows" in text


def test_a_page_names_no_address_at_all(result):
    assert re.findall(r"(?:https?:)?//[a-z]", table_page(result, SPEC, "tiny")) == []


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(93.85, 1, "93.9"), (-0.04, 1, "0.0"), (-1.45, 1, "−1.5"), (5.0, None, "5"), (1e-7, None, "0.0000001")],
)
def test_numbers_are_rounded_half_up_in_print(value, digits, text):
    assert number(value, digits) == text
