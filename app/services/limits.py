"""How much data one call may bring."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import DataTooLarge, Flaw
from app.schemas.search import Search
from app.schemas.table import Table
from app.schemas.validation import invalid

#: Share of the time of a job that its search may take; the rest is for the fits around it.
SEARCH_SHARE = 0.8


@dataclass(frozen=True)
class DataLimits:
    """Rows, features, their product, and classes."""

    rows: int
    features: int
    cells: int
    classes: int

    def require(self, table: Table) -> None:
        """Refuse a table that is over a limit, with the numbers."""
        self.require_size(table.n_rows, table.n_columns)

    def require_size(self, n_rows: int, n_columns: int) -> None:
        """The same before the table exists."""
        self._check("rows", n_rows, self.rows)
        self._check("features", n_columns, self.features)
        self._check("cells", n_rows * n_columns, self.cells)

    def require_classes(self, n_classes: int) -> None:
        """Refuse too many different labels."""
        self._check("classes", n_classes, self.classes)

    @staticmethod
    def _check(what: str, given: int, limit: int) -> None:
        if given > limit:
            raise DataTooLarge(
                f"{given} {what}, at most {limit} are allowed",
                numbers={what: given, f"max_{what}": limit},
            )


@dataclass(frozen=True)
class SearchLimits:
    """How long one search may take, and how much it may try."""

    default_seconds: float
    seconds: float
    configurations: int

    @classmethod
    def within(
        cls, timeout: float, *, default_seconds: float, seconds: float, configurations: int
    ) -> SearchLimits:
        """The limits of searches in jobs that end after `timeout` seconds."""
        most = min(seconds, SEARCH_SHARE * timeout)
        return cls(min(default_seconds, most), most, configurations)

    def applied(self, search: Search) -> Search:
        """The search with its time; refused if it is over a limit."""
        if search.grid is not None and search.grid.size > self.configurations:
            detail = f"{search.grid.size} configurations, at most {self.configurations} are allowed"
            raise invalid([Flaw(detail, "search.grid")])
        seconds = self.default_seconds if search.time_budget is None else search.time_budget
        if seconds > self.seconds:
            detail = f"{seconds:g} seconds, at most {self.seconds:g} are allowed"
            raise invalid([Flaw(detail, "search.time_budget")])
        return search.model_copy(update={"time_budget": float(seconds)})
