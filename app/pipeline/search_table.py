"""The table of the configurations that a search evaluated, stored with the version."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def ranked(table: dict[str, Any]) -> NDArray[np.intp]:
    """Return the configurations from best to worst; ties in the order of their evaluation."""
    return np.argsort(table["rank"], kind="stable")


def table_row(table: dict[str, Any], number: int) -> dict[str, Any]:
    """Return one configuration; scores of folds on which it could not be fitted are None."""
    return {
        "number": number,
        "params": table["params"][number],
        "mean": _known(table["mean"][number]),
        "std": _known(table["std"][number]),
        "rank": int(table["rank"][number]),
        "scores": [_known(score) for score in table["scores"][number]],
        "fit_seconds": float(table["fit_seconds"][number]),
        "stage": int(table["stage"][number]),
        "n_rows": int(table["n_rows"][number]),
    }


def as_results(table: dict[str, Any]) -> dict[str, Any]:
    """Return the columns with the names that `frtsvm_core.model_selection.score_profiles` uses."""
    return {
        "params": table["params"],
        "mean_test_score": table["mean"],
        "std_test_score": table["std"],
        "stage": table["stage"],
        "n_rows": table["n_rows"],
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
