"""Types of the estimator's parameters, with their ranges."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.schemas.base import WHOLE

Kernel = Literal["linear", "rbf", "poly", "sigmoid"]
#: Outside this range, double precision cannot represent both terms of the objective.
Cost = Annotated[float, Field(ge=1e-10, le=1e10)]
Penalty = Literal["coefficients", "function"]
Membership = Literal["center", "none", "neighbors"]
Mu = Annotated[float, Field(gt=0, lt=1)]
Gamma = Annotated[float, Field(gt=0, le=1e10)] | Literal["scale", "auto"]
Degree = Annotated[int, Field(ge=1, le=20), WHOLE]
Coef0 = Annotated[float, Field(ge=-1e6, le=1e6)]
Rank = Annotated[int, Field(ge=1, le=1_000_000), WHOLE] | Literal["auto"]
MultiClass = Literal["ovo", "ovr"]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1), WHOLE]
