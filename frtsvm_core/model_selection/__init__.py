"""Parameter search, calibrated probabilities, and score profiles for plots.

`FRTSVMSearchCV` searches parameters, and `CalibratedTwinClassifier` calibrates probabilities for
given parameters. `score_profile` and `score_surface` summarize a search, and `brier_score` and
`reliability_table` judge probabilities.

Names are imported at first use. A server that only shows a search or predicts with a calibration
therefore never loads the dependencies of searching and calibrating (scikit-learn, SciPy).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frtsvm_core.model_selection.calibrated_classifier import CalibratedTwinClassifier
    from frtsvm_core.model_selection.calibration import Calibration
    from frtsvm_core.model_selection.progress import SearchProgress, StopSearch
    from frtsvm_core.model_selection.reliability import (
        ReliabilityTable,
        brier_score,
        reliability_table,
    )
    from frtsvm_core.model_selection.score_profiles import (
        ScoreProfile,
        ScoreSurface,
        score_profile,
        score_surface,
    )
    from frtsvm_core.model_selection.search import FRTSVMSearchCV

__all__ = [
    "CalibratedTwinClassifier",
    "Calibration",
    "FRTSVMSearchCV",
    "ReliabilityTable",
    "ScoreProfile",
    "ScoreSurface",
    "SearchProgress",
    "StopSearch",
    "brier_score",
    "reliability_table",
    "score_profile",
    "score_surface",
]

_MODULE_OF = {
    "CalibratedTwinClassifier": "calibrated_classifier",
    "Calibration": "calibration",
    "FRTSVMSearchCV": "search",
    "ReliabilityTable": "reliability",
    "ScoreProfile": "score_profiles",
    "ScoreSurface": "score_profiles",
    "SearchProgress": "progress",
    "StopSearch": "progress",
    "brier_score": "reliability",
    "reliability_table": "reliability",
    "score_profile": "score_profiles",
    "score_surface": "score_profiles",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
