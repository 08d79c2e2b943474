"""Select the configurations that a plot shows, and compose its texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import SearchNotFound
from app.pipeline.search_table import as_results
from app.plots.axes import format_number
from app.plots.heatmap import heatmap
from app.plots.profile import line_chart
from app.plots.svg import drawing
from frtsvm_core.model_selection.score_profiles import (
    ScoreSurface,
    comparable,
    score_profile,
    score_surface,
)

SURFACE = ("c1", "c3")
#: Plots are named after their parameters.
SURFACE_NAME = "-".join(SURFACE)


def draw(plot: str, name: str, search: dict[str, Any], table: dict[str, Any]) -> str:
    """Return the plot named `plot` of a search as SVG; `name` is the name of the model version."""
    if plot == SURFACE_NAME:
        return _surface(name, search, table)
    return _profile(plot, name, search, table)


def _surface(name: str, search: dict[str, Any], table: dict[str, Any]) -> str:
    shown = _comparable(table, search, SURFACE)
    for parameter in SURFACE:
        _require_varied(shown, parameter)
    surfaces = _by_stage(shown)
    best = _marked(shown, search)
    place = (best[SURFACE[0]], best[SURFACE[1]])
    title = f"{_measure(search)} over {SURFACE[0]} and {SURFACE[1]}"
    return drawing(
        title,
        _subtitle(name, shown, search),
        f"{title}. Each cell shows the best mean over {search['folds']} folds for its values. "
        f"{_best(shown, best, SURFACE)}",
        heatmap(surfaces, place, search["scoring"]),
    )


def _profile(parameter: str, name: str, search: dict[str, Any], table: dict[str, Any]) -> str:
    shown = _comparable(table, search, (parameter,))
    _require_varied(shown, parameter)
    profile = score_profile(as_results(shown), parameter)
    best = _marked(shown, search)
    title = f"{_measure(search)} over {parameter}"
    points = ", ".join(
        f"{format_number(value)}: {score:.4f}"
        for value, score in zip(profile.values, profile.score, strict=True)
    )
    return drawing(
        title,
        _subtitle(name, shown, search),
        f"{title}. Each point shows the best mean over {search['folds']} folds for its value, with "
        f"one standard deviation. {_best(shown, best, (parameter,))} All points: {points}.",
        line_chart(profile, best.get(parameter), search["scoring"]),
    )


def _comparable(
    table: dict[str, Any], search: dict[str, Any], parameters: tuple[str, ...]
) -> dict[str, Any]:
    """Select the configurations that set the parameters and whose scores are comparable.

    They were evaluated on the same number of rows, in stages of the search that vary the
    parameters. Costs are comparable for one kernel and penalty only. The configurations therefore
    have the kernel and penalty of the chosen one, unless no such configuration sets the parameters.
    """
    has = np.array([_has(params, parameters) for params in table["params"]], dtype=bool)
    chosen = _space(search["best_params"])
    same = np.array([_space(params) == chosen for params in table["params"]], dtype=bool)
    usable = has & same if (has & same).any() else has
    known = np.flatnonzero(usable & ~np.isnan(table["mean"]))
    if not known.size:
        raise SearchNotFound(
            f"The search did not vary {' and '.join(parameters)}. Choose parameters that it varied."
        )
    values = [np.array([table["params"][k][name] for k in known]) for name in parameters]
    return _chosen(table, known[comparable(table["stage"][known], table["n_rows"][known], values)])


def _space(params: dict[str, Any]) -> tuple[Any, Any]:
    """Return kernel and penalty, within which costs are comparable."""
    return params.get("kernel"), params.get("penalty")


def _has(params: dict[str, Any], parameters: tuple[str, ...]) -> bool:
    if "mu" in parameters and params.get("membership") == "none":
        return False  # mu has no effect
    return all(
        isinstance(params.get(name), int | float) and params[name] > 0 for name in parameters
    )


def _chosen(table: dict[str, Any], numbers: NDArray[np.intp]) -> dict[str, Any]:
    columns = {name: column[numbers] for name, column in table.items() if name != "params"}
    return {"params": [table["params"][k] for k in numbers.tolist()], **columns}


def _by_stage(shown: dict[str, Any]) -> list[ScoreSurface]:
    return [
        score_surface(as_results(_chosen(shown, np.flatnonzero(shown["stage"] == stage))), *SURFACE)
        for stage in np.unique(shown["stage"])
    ]


def _require_varied(shown: dict[str, Any], parameter: str) -> None:
    if len({params[parameter] for params in shown["params"]}) < 2:
        raise SearchNotFound(
            f"The search did not vary {parameter}. Choose a parameter that it varied."
        )


def _marked(shown: dict[str, Any], search: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration to mark: the chosen one, or the best if that is not shown."""
    if search["best_params"] in shown["params"]:
        chosen: dict[str, Any] = search["best_params"]
        return chosen
    best: dict[str, Any] = shown["params"][int(np.argmax(shown["mean"]))]
    return best


def _best(shown: dict[str, Any], best: dict[str, Any], parameters: tuple[str, ...]) -> str:
    score = float(shown["mean"][shown["params"].index(best)])
    place = ", ".join(
        f"{name} = {format_number(best[name])}" for name in parameters if name in best
    )
    return f"The best is {score:.4f} at {place}."


def _measure(search: dict[str, Any]) -> str:
    words: str = search["scoring"].replace("_", " ")
    return words[0].upper() + words[1:]


def _subtitle(name: str, shown: dict[str, Any], search: dict[str, Any]) -> str:
    kernels = sorted({params["kernel"] for params in shown["params"] if "kernel" in params})
    kernel = f"{kernels[0]} kernel" if len(kernels) == 1 else None
    parts = [
        name,
        kernel,
        f"{search['folds']} folds of {int(shown['n_rows'][0])} rows",
        f"{len(shown['params'])} configurations",
    ]
    return " · ".join(part for part in parts if part)
