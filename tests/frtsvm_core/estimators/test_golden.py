"""Comparison with exact solutions: planes within 1e-6 at tol=1e-9, memberships within 1e-12.

The solutions were verified in 60-digit arithmetic. Those of the problem with eleven rows are given
here to 17 digits; those of Ripley's data are read from files next to the data sets.
"""

import json

import numpy as np
import pytest

from frtsvm_core import FRTSVMClassifier

PLUS = np.array([[1, 2], [2, 3], [3, 3], [2, 1], [-1, -1]], dtype=float)
MINUS = np.array([[-1, -2], [-2, -1], [-3, -3], [-2, -3], [2, 2], [0, -1]], dtype=float)
TINY = [
    {
        "kernel": "linear",
        "c1": 0.5,
        "c3": 1.0,
        "memberships": [
            0.7561150619481287,
            0.5125779476631674,
            0.3592337704705984,
            0.6841725929221931,
            2.8261726292555524e-12,
            0.7662070536784935,
            0.6884547773796963,
            0.3775218421769285,
            0.509929883064838,
            2.229882944959627e-12,
            0.6884547773796963,
        ],
        "u_plus": [0.0833197912617592, 0.1886604629257159, -0.6446999545507657],
        "u_minus": [0.026274999968085636, 0.20874736021262824, 0.5446527560637813],
    },
    {
        "kernel": "linear",
        "c1": 1.0,
        "c3": 0.05,
        "memberships": [
            0.7561150619481287,
            0.5125779476631674,
            0.3592337704705984,
            0.6841725929221931,
            2.8261726292555524e-12,
            0.7662070536784935,
            0.6884547773796963,
            0.3775218421769285,
            0.509929883064838,
            2.229882944959627e-12,
            0.6884547773796963,
        ],
        "u_plus": [0.013262279171727181, 0.033141094416001014, -0.1018986252428385],
        "u_minus": [0.0008479344094680726, 0.02083706376105196, 0.04789818086592831],
    },
    {
        "kernel": "rbf",
        "c1": 0.5,
        "c3": 1.0,
        "memberships": [
            0.31545778163570665,
            0.378388924216321,
            0.26638039239031047,
            0.2532258026837897,
            4.955014176744044e-12,
            0.3727375726665779,
            0.26679435361933557,
            0.2197031332716416,
            0.32161382591143217,
            4.770006611920508e-12,
            0.1822476081722215,
        ],
        "u_plus": [
            0.14564765534576435,
            0.14971815290171991,
            0.16493213220410585,
            0.15498148291817096,
            0.10343855441351059,
            -0.21583137164504615,
            -0.04572808558336434,
            -0.1941448082246476,
            -0.3030394114978756,
            0.1807878430580639,
            0.07790296398014619,
            -0.5501300746591421,
        ],
        "u_minus": [
            0.08841883126563158,
            0.20526875132022102,
            0.22030510696792513,
            -0.12233779608634834,
            -0.1894490746725385,
            -0.1715563997851642,
            -0.17257589410799273,
            -0.2628018570943728,
            -0.21121592393297248,
            -0.07993068520296744,
            -0.17933094849329292,
            0.6784517513524012,
        ],
    },
    {
        "kernel": "rbf",
        "c1": 1.0,
        "c3": 0.05,
        "memberships": [
            0.31545778163570665,
            0.378388924216321,
            0.26638039239031047,
            0.2532258026837897,
            4.955014176744044e-12,
            0.3727375726665779,
            0.26679435361933557,
            0.2197031332716416,
            0.32161382591143217,
            4.770006611920508e-12,
            0.1822476081722215,
        ],
        "u_plus": [
            0.01216646990540421,
            0.013099804002146772,
            0.012919508664504515,
            0.012346028449935787,
            0.00969542584483305,
            -0.008160876517678994,
            -7.522498903851153e-05,
            -0.026612028795935414,
            -0.028504910580690976,
            0.014769590295933844,
            0.010215090942274537,
            -0.04798504994084825,
        ],
        "u_minus": [
            0.004226325925482184,
            0.009557730753486336,
            0.009776762006335165,
            -0.0018778238753161683,
            -0.007326996009017531,
            -0.007553350089915458,
            -0.0068293191557881735,
            -0.008957719157530738,
            -0.008406869526827268,
            0.00113582593664039,
            -0.006335974223469323,
            0.02755859941427899,
        ],
    },
]


def fit(plus, minus, **params):
    x = np.vstack([plus, minus])
    y = np.repeat([1, -1], [len(plus), len(minus)])
    model = FRTSVMClassifier(tol=1e-9, rank=None, random_state=0, **params)
    return x, model.fit(x, y)


def assert_planes(x, model, u_plus, u_minus, gamma):
    """Compare [w, b] for the linear kernel, otherwise values at the rows and norms."""
    for plane, u in ((1, u_plus), (0, u_minus)):
        if gamma is None:
            found = np.append(model.coef_[plane], model.intercept_[plane])
            assert np.linalg.norm(found - u) <= 1e-6 * np.linalg.norm(u)
            continue
        kernel = np.exp(-gamma * np.sum((x[:, None] - x[None]) ** 2, axis=2))
        expected = kernel @ u[:-1] + u[-1]
        found = model.plane_model().values(x)[:, plane]
        assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()
        norm = np.sqrt(u[:-1] @ kernel @ u[:-1])
        assert model.plane_norms_[plane] == pytest.approx(norm, rel=1e-6)


@pytest.mark.parametrize("problem", TINY, ids=lambda p: f"{p['kernel']}-c3={p['c3']}")
def test_eleven_rows(problem):
    gamma = 0.25 if problem["kernel"] == "rbf" else None
    params = {key: problem[key] for key in ("kernel", "c1", "c3")}
    if gamma is not None:
        params["gamma"] = gamma
    x, model = fit(PLUS, MINUS, **params)
    np.testing.assert_allclose(model.memberships_, problem["memberships"], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(np.flatnonzero(model.suspected_noise_), [4, 9])
    assert_planes(x, model, np.array(problem["u_plus"]), np.array(problem["u_minus"]), gamma)


@pytest.mark.parametrize(
    "name",
    [
        "ripley_linear_c1_2e-8_c3_0.25",
        "ripley_linear_c1_2e-8_c3_8",
        "ripley_rbf_c1_1_c3_8_gamma_12.5",
    ],
)
def test_ripley(golden_dir, ripley, name):
    golden = json.loads((golden_dir / f"{name}.json").read_text())
    x_train, y_train, x_test, _ = ripley
    gamma = None if golden["g"] is None else 1 / golden["g"] ** 2
    params = {key: golden[key] for key in ("kernel", "c1", "c2", "c3", "c4", "mu", "delta")}
    if gamma is not None:
        params["gamma"] = gamma
    x, model = fit(x_train[y_train == 1], x_train[y_train == -1], **params)
    expected = np.concatenate([golden["s_plus"], golden["s_minus"]])
    np.testing.assert_allclose(model.memberships_, expected, rtol=0, atol=1e-12)
    suspected = [*golden["outlier_plus"], *(125 + np.array(golden["outlier_minus"]))]
    np.testing.assert_array_equal(np.flatnonzero(model.suspected_noise_), suspected)
    u_plus, u_minus = (np.array(golden[u], dtype=float) for u in ("u_plus", "u_minus"))
    assert_planes(x, model, u_plus, u_minus, gamma)
    decision = "w" if gamma is None else "kernel"
    np.testing.assert_array_equal(model.predict(x_test), golden["test_predictions"][decision])


@pytest.mark.parametrize(
    ("params", "accuracy"),
    [
        ({"kernel": "linear", "c1": 2**-8, "c3": 0.25}, 0.891),
        ({"kernel": "rbf", "gamma": 12.5, "c1": 1.0, "c3": 8.0}, 0.914),
    ],
    ids=["linear", "rbf"],
)
def test_ripley_accuracy_at_the_default_tolerance(ripley, params, accuracy):
    x_train, y_train, x_test, y_test = ripley
    model = FRTSVMClassifier(random_state=0, **params).fit(x_train, y_train)
    assert model.score(x_test, y_test) == accuracy
