"""Schemas of POST /train."""

from __future__ import annotations

import inspect

from app.schemas.training import EstimatorParams, TrainingOptions, TrainingRequest
from app.schemas.validation import validate
from frtsvm_core import FRTSVMClassifier


def test_defaults_are_those_of_the_estimator() -> None:
    expected = {
        name: parameter.default
        for name, parameter in inspect.signature(FRTSVMClassifier.__init__).parameters.items()
        if name != "self"
    }
    found = EstimatorParams.model_validate({}).model_dump()
    assert found.pop("random_state") == 0  # fixed on purpose: the same data give the same model
    assert expected.pop("random_state") is None
    assert found == expected


def test_options_are_the_request_without_its_data() -> None:
    body = {"X": [[1], [2]], "y": [0, 1], "scale": "none", "params": {"c1": 2.0}}
    options = validate(TrainingRequest, body).options()
    assert options == TrainingOptions.model_validate({"scale": "none", "params": {"c1": 2.0}})
    # What is stored with a job can be read again.
    assert TrainingOptions.model_validate(options.stored()) == options


def test_stored_options_keep_which_parameters_are_fixed() -> None:
    options = TrainingOptions.model_validate({"params": {"c1": 1.0}, "search": {"folds": 3}})
    again = TrainingOptions.model_validate(options.stored())
    assert again == options
    assert again.params.model_fields_set == {"c1"}  # although 1 is the default


def test_auto_is_an_empty_search() -> None:
    automatic = validate(TrainingOptions, {"params": "auto"})
    assert automatic == validate(TrainingOptions, {"search": {}})
    assert automatic.search is not None
    assert automatic.search.plan == "auto"
    kept = validate(TrainingOptions, {"params": "auto", "search": {"seed": 3}})
    assert kept.search is not None
    assert kept.search.seed == 3


def test_whole_floats_are_integers_as_in_json_schema() -> None:
    assert EstimatorParams.model_validate({"degree": 4.0}).degree == 4
