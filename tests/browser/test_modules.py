"""JavaScript modules of the studio, tested one by one."""

from __future__ import annotations

import json
import shlex
import subprocess

import httpx
import numpy as np
import pytest
from playwright.sync_api import Page

from tests.app.data import training
from tests.app.server import Server
from tests.browser.steps import in_module

HOSTILE_WORDS = ["plain", "two words", "it's", '"$(id)"', "`id`", "a\nb", "", "\\", "-x", "ü*?~!"]


def test_shell_quoting_preserves_every_word(modules: Page) -> None:
    quoted = in_module(modules, "curl.js", "({quote}, words) => words.map(quote)", HOSTILE_WORDS)
    line = " ".join(["printf", "'%s\\0'", *quoted])
    said = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout.decode()
    assert said.split("\0")[:-1] == HOSTILE_WORDS
    assert shlex.split(" ".join(quoted)) == HOSTILE_WORDS


def test_events_are_parsed_however_the_stream_is_split(modules: Page) -> None:
    stream = (
        'id: 1\nevent: progress\ndata: {"a":1}\n\n: still there\n\n'
        "event: end\r\ndata: x\r\ndata: y\r\n\r\n"
    )
    expected = [{"event": "progress", "data": '{"a":1}'}, {"event": "end", "data": "x\ny"}]
    found = in_module(
        modules,
        "sse.js",
        """({EventParser}, stream) => {
            const found = new Set();
            for (let i = 0; i < stream.length; i++) {
                for (let j = i; j < stream.length; j++) {
                    const parser = new EventParser();
                    const parts = [stream.slice(0, i), stream.slice(i, j), stream.slice(j)];
                    found.add(JSON.stringify(parts.flatMap((part) => parser.push(part))));
                }
            }
            return [...found];
        }""",
        stream,
    )
    assert [json.loads(events) for events in found] == [expected]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_distances_to_planes_match_the_service(modules: Page, studio: Server, kernel: str) -> None:
    """|f| / norm, computed in the page, is the distance that /predict returns."""
    params = {"kernel": kernel, "gamma": 0.5, "coef0": 1.0}
    if kernel == "sigmoid":  # close to positive semidefinite for small products only
        params |= {"gamma": 0.01, "coef0": 0.0}
    body = training(f"planes-{kernel}", params=params, feature_names=["a", "b"])
    rows = np.random.default_rng(3).normal(size=(20, 2)).tolist()
    with studio.client() as client:
        made = client.post("/train", json=body)
        assert made.status_code == 201, made.text
        version = made.json()["version"]
        request = {"model": body["model"], "version": version, "X": rows}
        distances = client.post("/predict", json=request).json()["distances"]
    found = modules.evaluate(
        """async ([model, version, rows]) => {
            const {api} = await import("./studio/js/api.js");
            const {planeValues} = await import("./studio/js/planes.js");
            const planes = await api.planes(model, version, 3000);
            const {params} = await api.version(model, version);
            const values = planeValues(planes, params);
            const distance = (f, i) => Math.abs(f) / planes.planes[i].norm;
            return rows.map(([a, b]) => values({a, b}).map(distance));
        }""",
        [body["model"], version, rows],
    )
    np.testing.assert_allclose(found, distances, rtol=1e-8, atol=1e-10)


def test_number_formats(modules: Page) -> None:
    script = """({number, formatterForRange}) => [
        number(1059, 3), number(1995), number(-123456789), number(1e10), number(1059.7, 3),
        number(0.012345, 3),
        formatterForRange([1059.25, 1987.5])(1059.25), formatterForRange([0, 1])(0.123456),
        formatterForRange([4, 4])(4), formatterForRange([1995, 2021])(1995),
        formatterForRange([1e-7, 2e-7])(1.5e-7),
    ]"""
    assert in_module(modules, "format.js", script) == [
        *("1059", "1995", "-123456789", "1e10", "1060", "0.0123"),
        *("1059.25", "0.1235", "4", "1995", "1.5e-7"),
    ]


@pytest.mark.parametrize(
    ("low", "high"),
    [(1990, 2006), (0, 1), (1059, 1063.5), (-3e7, 5e7), (1e-6, 5e-6), (99.9, 100.1)],
)
def test_axis_labels_equal_the_tick_values(modules: Page, low: float, high: float) -> None:
    script = "({ticks, tickLabels}, range) => [ticks(...range), tickLabels(ticks(...range))]"
    values, texts = in_module(modules, "plots/axes.js", script, [low, high])
    assert len(values) > 2
    assert [float(text) for text in texts] == pytest.approx(values, rel=1e-9)
    assert max(map(len, texts)) < 8
    quarters = [0, 0.25, 0.5, 0.75, 1]
    texts = in_module(modules, "plots/axes.js", "({tickLabels}, v) => tickLabels(v)", quarters)
    assert [float(text) for text in texts] == quarters


def test_markers_of_36_classes_differ(modules: Page) -> None:
    script = """({markPath, colourClass}) =>
        Array.from({length: 36}, (_, i) => colourClass(i) + markPath(i, 0, 0, 1))"""
    looks = in_module(modules, "plots/marks.js", script)
    assert len(set(looks)) == 36


def test_contours_of_a_circle(modules: Page) -> None:
    found = in_module(
        modules,
        "plots/contour.js",
        """({zeroLines, positiveArea}) => {
            const size = 41, values = [];
            for (let j = 0; j < size; j++)
                for (let i = 0; i < size; i++) values.push(15 - Math.hypot(i - 20, j - 20));
            const grid = {columns: size, rows: size, values};
            return {lines: zeroLines(grid), area: positiveArea(grid)};
        }""",
    )
    (line,) = found["lines"]  # one closed line
    assert line[0] == pytest.approx(line[-1])
    radii = [np.hypot(x - 20, y - 20) for x, y in line]
    assert np.allclose(radii, 15, atol=0.02)
    areas = [
        abs(sum(x * v - u * y for (x, y), (u, v) in zip(p, p[1:] + p[:1], strict=True))) / 2
        for p in found["area"]
    ]
    assert sum(areas) == pytest.approx(np.pi * 15**2, rel=5e-3)


def test_examples_are_reproducible_and_complete(modules: Page, studio: Server) -> None:
    texts = in_module(
        modules,
        "examples.js",
        "async ({examples}) => Promise.all(examples.map(async (e) => (await e.open()).text()))",
    )
    again = in_module(
        modules, "examples.js", "async ({examples}) => (await examples[0].open()).text()"
    )
    assert texts[0] == again  # the seed is fixed
    assert [len(text.splitlines()) - 1 for text in texts] == [300, 250, 400, 150, 569]
    shipped = httpx.get(f"{studio.url}/studio/examples/wdbc.csv").text
    assert texts[-1] == shipped


def test_missing_numbers_are_sorted_last_in_both_directions(modules: Page) -> None:
    found = in_module(
        modules,
        "parts/table.js",
        """({sortableTable}) => {
            const values = [3, NaN, -1, NaN, 20];
            const heading = {name: "n", cell: (row) => row, value: (row) => row};
            const table = sortableTable("numbers", [heading], values);
            const read = () => [...table.querySelectorAll("td")].map((cell) => cell.textContent);
            const button = table.querySelector("button");
            button.click();
            const up = read();
            button.click();
            return [up, read()];
        }""",
    )
    assert found == [["-1", "3", "20", "NaN", "NaN"], ["20", "3", "-1", "NaN", "NaN"]]
