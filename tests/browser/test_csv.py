"""Reading of CSV files in the browser."""

from __future__ import annotations

import csv
import io
import itertools
import random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import drop_file, in_module

READ = """async ({Dataset}, parts) => {
    const blob = new Blob(parts.map((part) => typeof part === "string" ? part : new Uint8Array(part)));
    const dataset = await new Dataset("file.csv").load(blob);
    const rows = await dataset.rows([...Array(dataset.about.nRows).keys()]);
    const text = await (await dataset.write({})).text();
    dataset.close();
    return {...dataset.about, rows, text};
}"""


def _read(page: Page, *parts: Any) -> Any:
    return in_module(page, "csv/dataset.js", READ, list(parts))


def test_separators_and_line_ends(modules: Page) -> None:
    for separator, end in itertools.product((",", ";", "\t"), ("\n", "\r\n", "\r")):
        rows = [["a", "b"], ["1", "2"], ["3", "4"]]
        found = _read(modules, end.join(separator.join(row) for row in rows) + end)
        assert found["separator"] == separator
        assert [column["name"] for column in found["columns"]] == ["a", "b"]
        assert found["rows"] == [["1", "2"], ["3", "4"]]
        assert found["text"] == "a,b\n1,2\n3,4\n"


def test_quotes_hold_separators_line_ends_and_quotes(modules: Page) -> None:
    text = 'name,"a, b"\n"x ""y"", z",1\n"two\r\nlines",2\nmid"dle,3\n\n"open,4'
    found = _read(modules, text)
    assert [column["name"] for column in found["columns"]] == ["name", "a, b"]
    assert found["rows"] == [['x "y", z', "1"], ["two\r\nlines", "2"], ['mid"dle', "3"]]
    assert found["ragged"] == {"count": 1, "lines": [6]}  # the record with the unclosed quote
    again = _read(modules, found["text"])
    assert again["rows"] == found["rows"]


def test_byte_order_mark_encodings_and_names(modules: Page) -> None:
    marked = _read(modules, "\ufeffgrün,x\n1,2\n")
    assert marked["columns"][0]["name"] == "grün"
    assert marked["encoding"] == "UTF-8"
    old = _read(modules, list("grün,x\n1,2\n".encode("cp1252")))
    assert (old["columns"][0]["name"], old["encoding"]) == ("grün", "Windows-1252")
    unnamed = _read(modules, "a,a,\n1,2,3\n")
    assert [column["name"] for column in unnamed["columns"]] == ["a", "a (2)", "column 3"]
    assert unnamed["renamed"]
    headless = _read(modules, "1,2\n3,4\n")
    assert not headless["hasHeader"]
    assert headless["rows"] == [["1", "2"], ["3", "4"]]


def test_header_detection(modules: Page) -> None:
    """A number above numbers means no header, unless there is also text above numbers."""
    for text, has_header in (
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,virginica\n", False),
        ("5,1;x\n4,9;y\n", False),
        ("a,b,kind\n1,2,x\n", True),
        ("country,2019,growth\nA,1,2\nB,3,4\n", True),  # a year as a column name
        ("kind,coat\ncat,long\ndog,short\n", True),  # only text: most files have a header
        (",a\n0,1\n1,2\n", True),
        ("NA,a\n1,x\n", True),
    ):
        assert _read(modules, text)["hasHeader"] is has_header, text


def test_the_user_can_correct_the_header_detection(page: Page) -> None:
    drop_file(page, "headless.csv", "5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,virginica\n")
    facts = page.locator(".facts")
    expect(facts).to_contain_text("3 rows")
    box = page.get_by_label("First line contains column names")
    expect(box).not_to_be_checked()
    expect(page.locator(".notes")).to_contain_text("The first line is read as data")
    box.press("Space")
    expect(facts).to_contain_text("2 rows")
    expect(box).to_be_checked()
    expect(box).to_be_focused()
    expect(page.locator(".preview thead")).to_contain_text("5.1")
    box.press("Space")
    expect(facts).to_contain_text("3 rows")


def test_identifier_columns_are_detected(modules: Page) -> None:
    def kinds(*columns: list[object]) -> list[str | None]:
        rows = zip(*columns, strict=True)
        head = ",".join(f"c{i}" for i in range(len(columns)))
        text = "\n".join([head, *(",".join(map(str, row)) for row in rows)])
        return [column["identifier"] for column in _read(modules, text)["columns"]]

    n = 40
    rng = random.Random(4)
    shuffled = rng.sample(range(100, 100 + n), n)
    some = sorted(rng.sample(range(1000), 700))[:n]  # a counter from which rows were removed
    assert kinds([f"name {i}" for i in range(n)], list(range(n)), shuffled, some) == [
        "name",
        "counter",
        "counter",
        "counter",
    ]
    words = [f"word {i % 9}" for i in range(n)]
    ages = [20 + i % 30 for i in range(n)]
    sparse = rng.sample(range(100_000), n)
    measures = [round(rng.random(), 6) for _ in range(n)]
    tens = [f"{10 * i}" if i else "?" for i in range(n)]  # one cell is missing
    assert kinds(words, ages, sparse, measures, tens) == [None] * 5
    assert kinds([f"name {i}" for i in range(5)], list(range(5))) == [
        None,
        None,
    ]  # too few rows to tell


def test_identifier_columns_are_not_selected(page: Page) -> None:
    lines = ["id,name,year,kind", *(f"{i},n{i},{1995 + i % 27},{'ab'[i % 2]}" for i in range(30))]
    drop_file(page, "named.csv", "\n".join(lines))
    columns = page.get_by_role("table", name="Columns of the table")
    expect(columns.get_by_role("checkbox", checked=True)).to_have_count(1)
    expect(columns.get_by_role("row", name="Use year")).to_contain_text("1995 to 2021")
    expect(columns.get_by_role("row", name="Use id")).to_contain_text("row counter")
    expect(columns.get_by_role("row", name="Use name")).to_contain_text("nearly all values differ")
    expect(page.locator(".notes")).to_contain_text("Not used unless you select it: id, name.")
    columns.get_by_role("checkbox", name="Use id").check()
    expect(columns.get_by_role("checkbox", checked=True)).to_have_count(2)


def test_decimal_commas_are_used_only_if_unambiguous(modules: Page) -> None:
    found = _read(modules, "a;b;c;d\n1,5;1,234;1,5;x\n-0,25;2,500;1.5;y\n")
    kinds = [column["kind"] for column in found["columns"]]
    assert kinds == ["number", "text", "text", "text"]
    assert [column["decimalComma"] for column in found["columns"]] == [True, False, False, False]
    assert found["text"] == 'a,b,c,d\n1.5,"1,234","1,5",x\n-0.25,"2,500",1.5,y\n'


def test_missing_cells_and_column_types_match_the_service(modules: Page) -> None:
    found = _read(modules, "a,b,c,d\n1,NA,x,inf\n?,,y,2\n1e3,nan,,3\n")
    columns = found["columns"]
    assert [column["kind"] for column in columns] == ["number", "empty", "text", "number"]
    assert [column["missing"] for column in columns] == [1, 3, 1, 0]
    assert columns[3]["infinite"] == 1
    assert (columns[0]["min"], columns[0]["max"]) == (1, 1000)


def test_files_without_rows_are_rejected(page: Page) -> None:
    for text in ("", "\n\n", "a,b\n"):
        with pytest.raises(Exception, match="no rows"):
            _read(page, text)
    page.get_by_label("Choose a CSV file").set_input_files(
        {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""}
    )
    expect(page.get_by_role("alert")).to_contain_text("The file has no rows")
    assert (
        page.get_by_label("Choose a CSV file").input_value() == ""
    )  # the same file can be selected again


@pytest.mark.parametrize("megabytes", [10, pytest.param(50, marks=pytest.mark.slow)])
def test_a_large_file_does_not_freeze_the_page(modules: Page, megabytes: int) -> None:
    """The longest delay of a timer in the page stays below a second while the file is read."""
    found = in_module(
        modules,
        "csv/dataset.js",
        """async ({Dataset}, megabytes) => {
            const line = "0.123456,-1.5,17,some words,0.000001,yes\\n".repeat(2500);
            const lines = new Blob(["a,b,c,d,e,kind\\n", ...Array(10 * megabytes).fill(line)]);
            let longest = 0, last = performance.now(), running = true;
            const tick = () => {
                const now = performance.now();
                longest = Math.max(longest, now - last);
                last = now;
                if (running) setTimeout(tick, 0);
            };
            tick();
            const shares = [];
            const onProgress = (share) => shares.push(share);
            const dataset = await new Dataset("big.csv").load(lines, {onProgress});
            running = false;
            dataset.close();
            return {size: lines.size, rows: dataset.about.nRows, longest, steps: shares.length};
        }""",
        megabytes,
    )
    assert found["size"] > megabytes * 1e6
    assert found["rows"] == 25_000 * megabytes
    assert found["steps"] > 10
    assert found["longest"] < 1000


def test_a_second_file_replaces_the_first(page: Page) -> None:
    drop_file(page, "one.csv", "a,kind\n1,x\n2,y\n")
    drop_file(
        page, "two.csv", "b,label\n1,x\n2,y\n3,x\n", on="footer"
    )  # files can be dropped anywhere
    expect(page.locator(".facts")).to_contain_text("3 rows")
    expect(page.get_by_label("Model name")).to_have_value("two")


def test_csv_files_written_by_python_are_read_back(modules: Page) -> None:
    """Random records, written by the csv module in every supported dialect."""
    rng = random.Random(20)
    pieces = ["a", "7", "", " ", '"', '""', ",", ";", "\t", "\n", "\r\n", "'", "é", "=", "x y"]
    cases = []
    for separator in (",", ";", "\t") * 60:
        width = rng.randint(2, 5)
        rows = [
            ["".join(rng.choices(pieces, k=rng.randint(0, 4))) for _ in range(width)]
            for _ in range(rng.randint(1, 6))
        ]
        text = io.StringIO()
        end = rng.choice(["\n", "\r\n"])
        quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
        writer.writerows(rows)
        cases.append({"text": text.getvalue(), "separator": separator, "rows": rows})
    found = in_module(
        modules,
        "csv/reader.js",
        """({RecordReader}, cases) => cases.map(({text, separator}) => {
            const reader = new RecordReader(text, separator), rows = [];
            for (let cells = reader.next(); cells; cells = reader.next()) rows.push(cells);
            return rows;
        })""",
        cases,
    )
    for case, rows in zip(cases, found, strict=True):
        assert rows == case["rows"], case["text"]
