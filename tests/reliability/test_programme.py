"""Every row of the reliability tests, with the number of cases for `make test`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.postgres import Postgres
from tests.reliability.programme import NotPossible, Row, Run, all_rows

#: Rows that assert durations. All other rows do not depend on the load of the machine.
TIMED = {"D3", "D5", "F2"}
CASES = [
    pytest.param(row, id=key, marks=[pytest.mark.timed] if key in TIMED else [])
    for key, row in all_rows().items()
]


@pytest.mark.parametrize("row", CASES)
def test_row(row: Row, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    def new_postgres() -> str:
        postgres: Postgres = request.getfixturevalue("postgres")
        return postgres.new_database()

    run = Run(row.quick, 0, tmp_path, new_postgres)
    try:
        row.execute(run)
    except NotPossible as why:
        pytest.skip(str(why))
    assert run.violations == []
    assert run.cases >= row.quick
