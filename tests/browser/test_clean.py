"""Finding and removing wrong labels, and the contents of the result page."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Page, Route, expect

from tests.app.data import training
from tests.app.server import Server
from tests.browser.steps import blobs_csv, drop_file, rows_of, section, train


def test_drop_a_csv_and_download_the_cleaned_one(page: Page) -> None:
    original = blobs_csv()
    drop_file(page, "pets.csv", original)
    expect(page.locator(".facts")).to_contain_text("60 rows · 3 columns · separated by commas")
    expect(page.get_by_label("Column with the classes")).to_have_value("2")
    expect(page.get_by_role("table", name="2 classes")).to_contain_text("32 · 53 %")
    expect(page.get_by_label("Model name")).to_have_value("pets")

    train(page, "pets")
    expect(page.locator("h1")).to_have_text("pets, version 1")
    suspects = section(page, "Suspected wrong labels")
    ticks = suspects.get_by_role("checkbox", name="Remove line")
    expect(ticks).to_have_count(2)
    assert {box.get_attribute("aria-label") for box in ticks.all()} == {
        "Remove line 7",
        "Remove line 13",
    }
    order = suspects.locator("tbody tr td:nth-child(2)")
    suspects.get_by_role("button", name="Line", exact=True).click()
    expect(order).to_have_text(["7", "13"])
    suspects.get_by_role("button", name="Line", exact=True).click()
    expect(order).to_have_text(["13", "7"])
    with page.expect_download() as found:
        suspects.get_by_role("button", name="Download this list").click()
    head, *listed = rows_of(found.value)
    assert head == ["row", "line", "label", "looks_like", "membership", "height", "width"]
    assert {(row[0], row[1]) for row in listed} == {("5", "7"), ("11", "13")}

    clean = suspects.get_by_role("button", name="Download the cleaned CSV")
    expect(clean).to_be_disabled()
    suspects.get_by_label("Select all").check()
    expect(suspects).to_contain_text("2 rows selected of 2")
    with page.expect_download() as found:
        clean.click()
    assert found.value.suggested_filename == "pets-cleaned.csv"
    lines = original.splitlines()
    expected = [line.split(",") for i, line in enumerate(lines) if i not in (6, 12)]
    assert rows_of(found.value) == expected

    suspects.get_by_role("button", name="Train again without these rows").click()
    expect(page.get_by_text("2 rows that you removed are excluded")).to_be_visible()
    train(page)
    expect(page.locator("h1")).to_have_text("pets, version 2")
    expect(section(page, "Suspected wrong labels")).to_contain_text("None.")
    beside = section(page, "Comparison with another version")
    expect(beside.get_by_role("row", name="Suspected rows")).to_contain_text("2")
    expect(beside.get_by_role("row", name="Rows 60 58 −2")).to_be_visible()


def _download(page: Page) -> list[list[str]]:
    with page.expect_download() as found:
        page.get_by_role("button", name="Download the cleaned CSV").click()
    return rows_of(found.value)


def test_removed_rows_stay_removed_in_later_versions(page: Page) -> None:
    """Also if a version suspects no rows. Rows without a class are not removed from the file."""
    original = blobs_csv(wrong=(5, 11, 20)) + "1.5,1.5,\n"
    lines = original.splitlines()

    def without(*gone: int) -> list[list[str]]:
        return [line.split(",") for i, line in enumerate(lines) if i not in gone]

    suspects = section(page, "Suspected wrong labels")

    drop_file(page, "rounds.csv", original)
    page.get_by_label("Validation").select_option("none")
    train(page, "rounds")
    for line in (7, 13):
        suspects.get_by_role("checkbox", name=f"Remove line {line}", exact=True).check()
    expect(suspects.get_by_label("Select all")).not_to_be_checked()
    assert _download(page) == without(6, 12)
    suspects.get_by_role("button", name="Train again without these rows").click()
    expect(page.get_by_text("2 rows that you removed are excluded")).to_be_visible()

    train(page)
    expect(page.locator("h1")).to_have_text("rounds, version 2")
    expect(suspects).to_contain_text("2 rows that you removed earlier remain excluded.")
    assert _download(page) == without(6, 12)
    suspects.get_by_role("checkbox", name="Remove line 22", exact=True).check()
    expect(suspects.get_by_label("Select all")).to_be_checked()
    suspects.get_by_role("checkbox", name="Remove line 22", exact=True).uncheck()
    expect(suspects.get_by_label("Select all")).not_to_be_checked()
    suspects.get_by_role("checkbox", name="Remove line 22", exact=True).check()
    assert _download(page) == without(6, 12, 21)
    suspects.get_by_role("button", name="Train again without these rows").click()
    left_out = page.get_by_text("3 rows that you removed are excluded")
    expect(left_out).to_be_visible()

    train(page)
    expect(page.locator("h1")).to_have_text("rounds, version 3")
    expect(suspects).to_contain_text("None.")
    assert _download(page) == without(6, 12, 21)
    page.go_back()
    page.get_by_role("button", name="Include them again").click()
    expect(page.get_by_text("All rows are included again.")).to_be_focused()
    expect(left_out).to_have_count(0)


def test_overfitted_wrong_labels_are_shown_with_their_out_of_fold_label(page: Page) -> None:
    drop_file(page, "heart.csv", blobs_csv())
    page.get_by_role("radio", name="Set manually").check()
    page.get_by_label("Regularization c1").fill("0.000001")
    train(page, "heart", gamma="100")
    suspects = section(page, "Suspected wrong labels")
    script = "fetch('models/heart/versions/1/memberships?suspected=true').then((a) => a.json())"
    items = page.evaluate(script)["items"]
    assert [item["predicted"] == item["label"] for item in items] == [True, True]
    for line in (7, 13):
        cells = suspects.get_by_role("row", name=f"Remove line {line}").get_by_role("cell")
        expect(cells.nth(2)).to_have_text("cat")
        expect(cells.nth(3)).to_have_text("dog")


def test_suspected_rows_show_unused_columns_until_the_page_is_reloaded(page: Page) -> None:
    """After a reload the rows are identified by the row numbers of the service."""
    names = ["name", *(f"animal {i}" for i in range(60))]
    lines = zip(blobs_csv().splitlines(), names, strict=True)
    table = "\n\n".join(
        f"{name},{line}" for line, name in lines
    )  # blank lines count in line numbers
    drop_file(page, "known.csv", table)
    page.get_by_label("Validation").select_option("none")
    train(page, "known")
    suspects = section(page, "Suspected wrong labels")
    heads = suspects.get_by_role("columnheader")
    expect(heads.last).to_have_text("name (not used)")
    expect(suspects.get_by_role("row", name="animal 11")).to_contain_text("25")
    with page.expect_download() as found:
        suspects.get_by_role("button", name="Download this list").click()
    head, *listed = rows_of(found.value)
    assert head == ["row", "line", "label", "looks_like", "membership", "height", "width", "name"]
    assert {(row[0], row[1], row[-1]) for row in listed} == {
        ("5", "13", "animal 5"),
        ("11", "25", "animal 11"),
    }
    page.reload()  # line numbers are lost with the table
    expect(heads).to_have_text(["Row", "Label", "Looks like", "Membership"])
    expect(suspects).to_contain_text("Rows are counted from 0")
    assert set(suspects.locator("tbody td:first-child").all_inner_texts()) == {"5", "11"}
    with page.expect_download() as found:
        suspects.get_by_role("button", name="Download this list").click()
    head, *listed = rows_of(found.value)
    assert head == ["row", "label", "looks_like", "membership"]
    line = suspects.get_by_role("group", name="curl command: list the suspected rows")
    expect(line).to_contain_text("memberships?suspected=true&sort=membership&limit=1000")
    assert {row[0] for row in listed} == {"5", "11"}


def test_the_penalty_of_a_kernel_model_can_be_selected(page: Page) -> None:
    drop_file(page, "smooth.csv", blobs_csv(seed=1))
    page.get_by_role("radio", name="Set manually").check()
    penalty, kernel = page.get_by_label("c1 regularizes"), page.get_by_label("Kernel", exact=True)
    kernel.select_option("Linear")  # both penalties are the same here
    expect(penalty).to_be_hidden()
    kernel.select_option("RBF")
    penalty.select_option("the norm in feature space")
    train(page, "smooth")
    expect(section(page, "Parameters")).to_contain_text("the norm in feature space")
    script = "fetch('models/smooth/versions/1').then((a) => a.json())"
    assert page.evaluate(script)["params"]["penalty"] == "function"


def test_the_result_shows_scores_certificate_and_plots(page: Page) -> None:
    drop_file(page, "shown.csv", blobs_csv(seed=1))
    train(page, "shown")
    measures = section(page, "Accuracy")
    expect(measures.get_by_role("row")).to_have_count(
        1 + 5 + 2 + 3
    )  # scores by fold and confusion matrix, with headers and footer
    expect(measures.get_by_role("img", name="Accuracy by fold")).to_contain_text("mean ")
    counts = [int(text) for text in measures.locator(".confusion tbody td").all_inner_texts()]
    assert sum(counts) == 60
    expect(section(page, "Optimality")).to_contain_text("Both planes are optimal")
    plot = page.get_by_role("img", name="Duality gap by sweep")
    expect(plot.locator(".series")).to_have_count(2)
    match = re.search(
        r"Final gap of each plane: (\S+), (\S+)\.$", plot.locator("desc").text_content() or ""
    )
    assert match is not None
    assert max(map(float, match.groups())) < 1e-12
    expect(section(page, "Parameters")).to_contain_text("Regularization c1")
    expect(section(page, "Parameters")).to_contain_text("the coefficients")
    bars = section(page, "Memberships").locator("svg")
    expect(bars).to_have_count(2)
    picture = section(page, "Decision boundary")
    expect(picture.locator("svg.plot path.plane")).to_have_count(2)
    expect(picture.locator("svg.plot path.boundary")).to_have_count(1)
    assert all(path.get_attribute("d") for path in picture.locator("svg.plot path.boundary").all())
    assert picture.locator("svg.plot path.ring").first.get_attribute("d")


def turning(path: str) -> float:
    """Sum of the absolute changes of direction along a path, in radians."""
    total = 0.0
    for line in path.split("M")[1:]:
        points = np.array([point.split(",") for point in line.split("L")], float)
        steps = np.diff(points, axis=0)
        steps = steps[np.hypot(*steps.T) > 1]  # the direction of shorter steps is rounding error
        angles = np.diff(np.arctan2(steps[:, 1], steps[:, 0]))
        total += float(np.abs((angles + np.pi) % (2 * np.pi) - np.pi).sum())
    return total


def test_boundary_of_three_classes_with_other_features_fixed(page: Page) -> None:
    page.get_by_role("button", name="Iris").click()
    expect(page.locator("#table-title")).to_have_text("iris.csv")
    train(page, "iris")
    picture = section(page, "Decision boundary")
    expect(picture.locator("path.area")).to_have_count(3)
    # The default axes are the features that separate the classes best.
    across, up = picture.get_by_label("Horizontal axis"), picture.get_by_label("Vertical axis")
    expect(across).to_have_value("2")
    expect(up).to_have_value("3")
    held = "fixed at their median: sepal_length = 5.8, sepal_width = 3"
    expect(picture).to_contain_text(held)
    # The scores are votes, which jump, but the boundaries are smooth.
    edges = [
        path.get_attribute("d") or "" for path in picture.locator("svg.plot path.boundary").all()
    ]
    assert 0 < sum(map(turning, edges)) < 20
    picture.get_by_label("Planes").select_option("setosa and versicolor")
    expect(picture.locator("svg.plot path.plane")).to_have_count(2)
    across.select_option("petal_width")  # already the vertical axis: the axes are swapped
    expect(up).to_have_value("2")
    up.select_option("sepal_width")
    expect(picture).to_contain_text("sepal_length = 5.8, petal_length = 4.35")
    page.reload()  # closes the table; the model remains
    expect(picture.locator("path.area")).to_have_count(3)
    expect(picture).to_contain_text("fixed at their median: petal_length = 4.35")


def test_large_tables_are_sampled_but_all_suspected_rows_are_drawn(page: Page) -> None:
    wrong = tuple(range(5, 3000, 250))  # half of the rows are drawn; the classes alternate
    drop_file(page, "many.csv", blobs_csv(n=3000, wrong=wrong))
    page.get_by_label("Validation").select_option("none")
    train(page, "many", kernel="linear")
    picture = section(page, "Decision boundary")
    expect(picture).to_contain_text("rows are drawn: an even sample and all suspected rows.")
    rings = picture.locator("svg.plot path.ring").get_attribute("d") or ""
    suspects = section(page, "Suspected wrong labels").get_by_role("checkbox", name="Remove")
    assert rings.count("M") == suspects.count() >= len(wrong)
    marks = [path.get_attribute("d") or "" for path in picture.locator("svg.plot path.mark").all()]
    assert len(marks) == 2
    assert min(mark.count("M") for mark in marks) > 600


def test_a_note_replaces_planes_with_too_many_landmarks(page: Page, studio: Server) -> None:
    def enlarge(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"n_landmarks": 3001})

    body = training("landmarks", params={"kernel": "rbf"}, feature_names=["a", "b"])
    with studio.client() as client:
        assert client.post("/train", json=body).status_code == 201
    page.route("**/planes?*", enlarge)
    page.goto(f"{studio.url}/#result/landmarks/1")
    picture = section(page, "Decision boundary")
    expect(picture).to_contain_text(
        "The planes are not drawn: they depend on more than 3\u202f000 landmark rows"
    )
    expect(picture.locator("svg.plot path.boundary")).to_have_count(1)


def test_a_version_without_memberships_reports_labels_as_not_checked(page: Page) -> None:
    drop_file(page, "trusting.csv", blobs_csv())
    page.get_by_label("Validation").select_option("none")
    train(page, "trusting", membership="none")
    expect(section(page, "Suspected wrong labels")).to_contain_text("Not checked")
    expect(page.locator(".headline")).to_contain_text("not checked")
    expect(section(page, "Memberships")).to_contain_text("without memberships")


def test_text_missing_cells_and_rows_without_a_class(page: Page) -> None:
    lines = blobs_csv(wrong=()).splitlines()
    lines = [f"{line},{'a' if i % 3 else 'b'}" for i, line in enumerate(lines)]
    lines[0] = "height,width,kind,coat"
    lines[4] = ",1.5,cat,a"
    lines[9] = "0.1,0.2,,b"
    lines[15] = "1,2"
    drop_file(page, "holes.csv", "\n".join(lines))
    expect(page.locator(".notes")).to_contain_text("1 row was skipped")
    expect(page.locator(".notes")).to_contain_text("2 cells are missing.")
    columns = page.get_by_role("table", name="Columns of the table")
    assert columns.get_by_role("row", name="height").locator("td").nth(2).inner_text() == "1"
    page.get_by_label("Column with the classes").select_option("kind")
    expect(page.get_by_text("1 row without a class will not be sent")).to_be_visible()
    train(page, "holes")
    expect(page.locator(".facts").first).to_contain_text("58 rows × 3 features")


def test_a_failed_training_shows_the_reason(page: Page) -> None:
    drop_file(page, "few.csv", "a,b,kind\n1,2,x\n2,3,x\n3,4,x\n4,5,y\n")
    page.get_by_role("radio", name="Set manually").check()
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text(
        "5 folds need at least 5 rows of each class; the smallest class has 1."
    )
