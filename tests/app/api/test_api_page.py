"""The page docs/api.md lists every problem type with its status."""

from __future__ import annotations

import re
from pathlib import Path

from app.api.problems import STATUS, slug

PAGE = Path(__file__).parents[3] / "docs" / "api.md"
#: Types that come from HTTP itself instead of an error class of the service.
OF_HTTP = {
    ("bad-request", 400),
    ("not-found", 404),
    ("method-not-allowed", 405),
    ("request-timeout", 408),
    ("internal-server-error", 500),
}


def test_the_page_lists_all_problem_types_and_no_other() -> None:
    rows = re.findall(
        r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| (\d{3}) \|", PAGE.read_text(encoding="utf-8"), re.M
    )
    listed = {
        (name, int(status)) for names, status in rows for name in re.findall("[a-z-]+", names)
    }
    assert listed == {(slug(kind), status) for kind, status in STATUS.items()} | OF_HTTP
