"""Tables and URLs that contain markup, scripts and spreadsheet formulas."""

from __future__ import annotations

import csv
import io

from playwright.sync_api import Page, expect

from tests.browser.steps import drop_file, rows_of, section, train

IMAGE = '<img src=x onerror="window.stolen=1">'
SCRIPT = "<script>window.stolen=1</script>"
FORMULA = '=HYPERLINK("http://example.org","x")'


def _table() -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([IMAGE, SCRIPT, "javascript:alert(1)", f"kind{IMAGE}"])
    for i in range(40):
        wrong = i in (3, 8)
        label = (IMAGE, SCRIPT)[(i % 2) ^ wrong]
        word = (FORMULA, "-1+1", "@SUM(A1)", IMAGE)[i % 4]
        writer.writerow([4 * (i % 2) + i / 50, -(i % 7) / 10, word, label])
    return text.getvalue()


def _assert_nothing_injected(page: Page) -> None:
    assert page.evaluate("window.stolen") is None
    assert page.locator("main img, main script, main iframe, main [onerror]").count() == 0


def test_markup_in_a_table_stays_text(page: Page) -> None:
    drop_file(page, "<b>bold<b>.csv", _table())
    page.get_by_label("Column with the classes").select_option(f"kind{IMAGE}")
    expect(page.locator(".preview")).to_contain_text(SCRIPT)
    _assert_nothing_injected(page)
    train(page, "hostile", membership="neighbors")
    expect(section(page, "Accuracy")).to_contain_text(IMAGE)
    picture = section(page, "Decision boundary")
    expect(picture.locator("svg.plot path.boundary")).to_have_count(1)
    _assert_nothing_injected(page)
    page.get_by_role("link", name="Predict with this version").click()
    page.get_by_role("button", name="Predict", exact=True).click()
    expect(page.locator(".verdict")).to_contain_text("Predicted class: <")
    _assert_nothing_injected(page)
    page.goto(page.url.split("#")[0] + "#models/hostile")
    expect(page.get_by_role("button", name="Promote version 1", exact=True)).to_be_visible()
    _assert_nothing_injected(page)


def test_formulas_are_escaped_in_downloads_and_restored_on_opening(page: Page) -> None:
    drop_file(page, "formulas.csv", _table())
    page.get_by_label("Validation").select_option("none")
    page.get_by_label("Column with the classes").select_option(f"kind{IMAGE}")
    train(page, "formulas", membership="neighbors")
    suspects = section(page, "Suspected wrong labels")
    suspects.get_by_role("checkbox", name="Remove line 5").check()
    with page.expect_download() as found:
        suspects.get_by_role("button", name="Download the cleaned CSV").click()
    head, *rows = rows_of(found.value)
    assert len(rows) == 39
    words = {row[head.index("javascript:alert(1)")] for row in rows}
    assert words == {f"'{FORMULA}", "'-1+1", "'@SUM(A1)", IMAGE}
    numbers = [row[head.index(SCRIPT)] for row in rows]
    assert "-0.1" in numbers  # negative numbers are not escaped
    page.goto(page.url.split("#")[0] + "#train")
    drop_file(page, "again.csv", found.value.path().read_bytes())
    shown = page.locator(".preview tbody tr").first
    expect(shown).to_contain_text(FORMULA)
    expect(shown).not_to_contain_text("'=")


def test_markup_in_a_url_is_not_rendered(page: Page) -> None:
    page.goto(page.url + "#result/%3Cimg%20src%3Dx%20onerror%3D%22window.stolen%3D1%22%3E/1")
    expect(page.get_by_role("alert")).to_be_visible()
    _assert_nothing_injected(page)
