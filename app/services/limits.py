"""Limits on the data and the search of one request."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import DataTooLarge, Flaw
from app.schemas.search import Search
from app.schemas.table import Table
from app.schemas.validation import invalid

#: Share of the time limit of a job that its search may use; the rest is for fit and validation.
SEARCH_SHARE = 0.8


@dataclass(frozen=True)
class DataLimits:
    """Limits on rows, features, cells (rows times features) and classes."""

    rows: int
    features: int
    cells: int
    classes: int

    def require(self, table: Table) -> None:
        """Raise `DataTooLarge` if the table exceeds a limit."""
        self.require_size(table.n_rows, table.n_columns)

    def require_size(self, n_rows: int, n_columns: int) -> None:
        """Raise `DataTooLarge` for a size, before the table exists."""
        self._check("rows", n_rows, self.rows)
        self._check("features", n_columns, self.features)
        self._check("cells", n_rows * n_columns, self.cells)

    def require_classes(self, n_classes: int) -> None:
        """Raise `DataTooLarge` if there are too many different labels."""
        self._check("classes", n_classes, self.classes)

    @staticmethod
    def _check(what: str, given: int, limit: int) -> None:
        if given > limit:
            raise DataTooLarge(
                f"The data have {given} {what}; at most {limit} are allowed. "
                f"Send fewer, or raise FRTSVM_MAX_{what.upper()}.",
                numbers={what: given, f"max_{what}": limit},
            )


@dataclass(frozen=True)
class SearchLimits:
    """Limits on the time and the number of configurations of one search."""

    default_seconds: float
    seconds: float
    configurations: int

    @classmethod
    def within(
        cls, timeout: float, *, default_seconds: float, seconds: float, configurations: int
    ) -> SearchLimits:
        """Return the limits for searches in jobs with a time limit of `timeout` seconds."""
        most = min(seconds, SEARCH_SHARE * timeout)
        return cls(min(default_seconds, most), most, configurations)

    def applied(self, search: Search) -> Search:
        """Return the search with its time budget; raise `InvalidRequest` if it exceeds a limit."""
        if search.grid is not None and search.grid.size > self.configurations:
            detail = (
                f"The grid has {search.grid.size} configurations; "
                f"at most {self.configurations} are allowed. "
                "Give fewer values, or raise FRTSVM_MAX_SEARCH_CONFIGURATIONS."
            )
            raise invalid([Flaw(detail, "search.grid")])
        seconds = self.default_seconds if search.time_budget is None else search.time_budget
        if seconds > self.seconds:
            detail = (
                f"At most {self.seconds:g} seconds are allowed; got {seconds:g}. Lower the value, "
                "or raise FRTSVM_MAX_SEARCH_SECONDS (never above 80 % of FRTSVM_TRAINING_TIMEOUT)."
            )
            raise invalid([Flaw(detail, "search.time_budget")])
        return search.model_copy(update={"time_budget": float(seconds)})
