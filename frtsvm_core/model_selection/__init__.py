"""Parameter search, probabilities, and what can be shown of them."""

from frtsvm_core.model_selection.calibrated import CalibratedTwinClassifier
from frtsvm_core.model_selection.calibration import Calibration
from frtsvm_core.model_selection.curves import (
    ScoreProfile,
    ScoreSurface,
    score_profile,
    score_surface,
)
from frtsvm_core.model_selection.progress import SearchProgress, StopSearch
from frtsvm_core.model_selection.reliability import (
    ReliabilityTable,
    brier_score,
    reliability_table,
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
