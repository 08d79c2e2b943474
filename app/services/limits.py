"""How much data one call may bring."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import DataTooLarge
from app.schemas.table import Table


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
