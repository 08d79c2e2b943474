"""Each of 15 faults planted in the service is found by a row of the reliability tests.

This shows that the rows can fail. `make test-planted-faults` runs all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.app.postgres import Postgres
from tests.reliability.planted import FAULTS, planted
from tests.reliability.programme import Run, all_rows

#: Fault -> row that finds it, and number of cases that the row needs.
FOUND_BY = {
    "naive_write": ("C1", 40),
    "no_sync_of_file": ("C3", 40),
    "no_sync_of_folder": ("C3", 40),
    "no_checksum": ("B1", 300),
    "no_hmac": ("B2", 79),
    "swallowed_no_space": ("C1", 340),
    "claim_without_lock": ("E3", 400),
    "publish_after_cancel": ("C1", 60),
    "lease_by_wall_clock": ("E4", 2),
    "key_compared_by_equals": ("F2", 2000),
    "input_echoed": ("A2", 241),
    "no_body_limit": ("A2", 241),
    "no_deadline": ("D5", 50),
    "lenient_numbers": ("A2", 241),
    "name_check_missing": ("A3", 1200),
}


def test_there_are_fifteen_and_each_has_a_row() -> None:
    assert len(FAULTS) == 15
    assert FAULTS.keys() == FOUND_BY.keys()
    assert {key for key, _ in FOUND_BY.values()} <= all_rows().keys()


_ONE = """
import json, sys
from pathlib import Path
from tests.reliability.programme import NotPossible, Run, all_rows

key, wanted, folder, *urls = sys.argv[1:]
run = Run(int(wanted), 0, Path(folder), iter(urls).__next__)
missing = ""
try:
    all_rows()[key].execute(run)
except NotPossible as why:
    missing = str(why)
print(json.dumps({"missing": missing, "violations": run.violations}))
"""


#: One fault runs in `make test`; all run in `make test-planted-faults`.
_CASES = [
    pytest.param(name, marks=() if name == "no_checksum" else pytest.mark.slow) for name in FOUND_BY
]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", _CASES)
def test_a_planted_fault_is_found(name: str, postgres: Postgres) -> None:
    """Run the row in a separate process, because some faults are planted in that process."""
    key, wanted = FOUND_BY[name]
    with tempfile.TemporaryDirectory() as folder, planted(name):
        urls = [postgres.new_database() for _ in range(3)]
        done = subprocess.run(
            [sys.executable, "-c", _ONE, key, str(wanted), folder, *urls],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    if found["missing"]:
        pytest.skip(found["missing"])
    assert found["violations"], f"Row {key} has not found the fault {name}."


def test_a_run_counts_all_violations_and_keeps_the_first_20(tmp_path: Path) -> None:
    run = Run(1, 0, tmp_path, lambda: "")
    run.add_case(["wrong"] * 100)
    assert (run.cases, run.n_violations, len(run.violations)) == (1, 100, 20)
