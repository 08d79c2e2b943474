"""Texts that `frtsvm train` prints about a training."""

from __future__ import annotations

from typing import Any

from app.schemas.jobs import JobProgress
from app.schemas.models import SearchInfo, VersionInfo


def status(progress: JobProgress) -> str:
    """Describe the progress of a training in one line."""
    search = progress.search
    if search is None or search.phase != "search":
        return progress.phase
    best = "" if search.best_score is None else f", best score {search.best_score:.4f}"
    tried = f"{search.tried} of {search.planned} configurations"
    return f"{progress.phase}: {tried}{best}, about {search.seconds_left:.0f} s left"


def report(info: VersionInfo) -> str:
    """Describe a new version."""
    features = f"{info.n_features} feature{'' if info.n_features == 1 else 's'}"
    lines = [f"{info.model} version {info.version}: {info.n_rows} rows, {features}"]
    lines.append(_line("classes", ", ".join(map(str, info.classes))))
    if info.search is not None:
        lines += _search_lines(info, info.search)
    lines.append(_line("training accuracy", f"{info.training_accuracy:.4f}"))
    if info.validation is not None:
        lines.append(_line("validation accuracy", f"{info.validation.accuracy:.4f}"))
    if info.decision is not None:
        accuracy = info.decision.held_out_accuracy
        words = f"weighted distances, accuracy {accuracy:.4f} on held-out rows"
        lines.append(_line("decision", words))
    if info.probability is not None:
        words = f"{info.probability.method}, Brier score {info.probability.brier:.4f}"
        lines.append(_line("probabilities", words))
    lines.append(_line("relative gap", f"{info.certificate.relative_gap:.2e}"))
    checked = info.params.membership != "none"
    suspected = str(info.memberships.n_suspected) if checked else "not checked (membership none)"
    lines.append(_line("suspected rows", suspected))
    return "\n".join(lines)


def _search_lines(info: VersionInfo, search: SearchInfo) -> list[str]:
    params = info.params.model_dump()
    chosen = ", ".join(f"{name} {_formatted(params[name])}" for name in search.best_params)
    score = f"{search.best_score:.4f} ± {search.best_std:.4f} {search.scoring.replace('_', ' ')}"
    effort = (
        f"{search.folds} folds, {search.n_configurations} configurations, {search.seconds:.1f} s"
    )
    lines = [_line("best parameters", chosen), _line("cross-validated", f"{score} ({effort})")]
    if search.stopped_early is not None:
        reasons = {"time_budget": "time budget used up", "requested": "on request"}
        why = reasons[search.stopped_early]
        lines.append(_line("stopped early", why))
    return lines


def _line(name: str, words: str) -> str:
    return f"  {name:20} {words}"


def _formatted(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
