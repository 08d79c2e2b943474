"""The schema of trainings."""

from __future__ import annotations

import inspect

from app.schemas.training import EstimatorParams, TrainingOptions, TrainingRequest
from app.schemas.validation import validate
from frtsvm_core import FRTSVMClassifier


def test_defaults_are_those_of_the_estimator() -> None:
    theirs = {
        name: parameter.default
        for name, parameter in inspect.signature(FRTSVMClassifier.__init__).parameters.items()
        if name != "self"
    }
    ours = EstimatorParams.model_validate({}).model_dump()
    assert ours.pop("random_state") == 0  # fixed on purpose: the same data, the same model
    assert theirs.pop("random_state") is None
    assert ours == theirs


def test_options_are_the_request_without_its_data() -> None:
    body = {"X": [[1], [2]], "y": [0, 1], "scale": "none", "params": {"c1": 2.0}}
    options = validate(TrainingRequest, body).options()
    assert options == TrainingOptions.model_validate({"scale": "none", "params": {"c1": 2.0}})
    # What is stored with a job can be read again.
    assert TrainingOptions.model_validate(options.model_dump()) == options


def test_whole_floats_are_integers_as_in_json_schema() -> None:
    assert EstimatorParams.model_validate({"degree": 4.0}).degree == 4
