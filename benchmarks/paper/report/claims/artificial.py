"""Verdicts on the claims about parameters and the artificial sets."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.experiments.ripley import PANELS, SensitivityCell
from benchmarks.paper.methods.registry import KERNEL_TITLES, METHODS, PAPER_METHODS
from benchmarks.paper.report.bands import bands_results
from benchmarks.paper.report.claims.verdict import (
    NO,
    UNKNOWN,
    YES,
    Judge,
    NotRun,
    Verdict,
    claim_of,
    require,
)
from benchmarks.paper.report.markdown import p_value, signed
from benchmarks.paper.report.ripley import ripley_results
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import LEVEL, corrected_t_test

FloatArray = NDArray[np.float64]

# Smaller differences between two methods, in points, may be chance with 1,000 test rows.
_RIPLEY_NOISE = 1.0
_OTHERS = PAPER_METHODS[:-1]


def _ripley_best(kernel: str, winner: str) -> Judge:
    claim = (
        f"On Ripley's data, {METHODS[winner].title} is the most accurate of the "
        f"{KERNEL_TITLES[kernel]} methods."
    )

    def judge(results: Results) -> Verdict:
        rows = ripley_results(results)[kernel]
        ours = {method: rows[method]["accuracy"] for method in PAPER_METHODS}
        best_other = max(value for method, value in ours.items() if method != winner)
        lead = ours[winner] - best_other
        verdict = YES if lead >= _RIPLEY_NOISE else NO if lead <= -_RIPLEY_NOISE else UNKNOWN
        phrases = ", ".join(f"{METHODS[m].title} {value:.1f}" for m, value in ours.items())
        return Verdict(claim, verdict, f"{phrases} %; one standard error is 0.9 points")

    judge.__doc__ = claim
    return judge


def _ripley_fastest(results: Results) -> Verdict:
    """FR-TSVM trains fastest on Ripley's data, with either kernel."""
    verdicts, phrases = [], []
    for kernel, rows in require(ripley_results(results)).items():
        ours = {method: 1000.0 * rows[method]["seconds"] for method in PAPER_METHODS}
        verdicts.append(ours["frtsvm"] <= 1.05 * min(ours.values()))
        listed = ", ".join(f"{METHODS[m].title} {value:.1f}" for m, value in ours.items())
        phrases.append(f"{KERNEL_TITLES[kernel]}: {listed}")
    return Verdict(
        claim_of(_ripley_fastest),
        YES if all(verdicts) else NO,
        f"CPU ms, {'; '.join(phrases)}. The paper's SVM used MATLAB's quadprog; here it is libsvm",
    )


def _paired(accuracy: FloatArray, method: str, other: str) -> tuple[float, float]:
    column = PAPER_METHODS.index
    differences = accuracy[:, column(method)] - accuracy[:, column(other)]
    return float(differences.mean()), corrected_t_test(differences, 0.0)


def _bands_without_noise(results: Results) -> Verdict:
    """Without noise, all methods are similar on the second set; FR-TSVM is best with 100 %."""
    accuracy = bands_results(results)[0.0]["accuracy"]
    gains = [_paired(accuracy, "frtsvm", other) for other in _OTHERS]
    means = accuracy.mean(axis=0)
    ahead = all(gain > 0.0 and p < LEVEL for gain, p in gains)
    behind = any(gain < 0.0 and p < LEVEL for gain, p in gains)
    listed = ", ".join(
        f"{METHODS[m].title} {v:.2f}" for m, v in zip(PAPER_METHODS, means, strict=True)
    )
    return Verdict(
        claim_of(_bands_without_noise),
        YES if ahead else NO if behind else UNKNOWN,
        f"{listed} %, mean of {accuracy.shape[0]} draws",
    )


def _bands_memberships_help(results: Results) -> Verdict:
    """With noise, memberships help: FR-TSVM is better than TSVM, and FSVM better than SVM."""
    phrases, good, bad = [], [], []
    for variance in (0.2, 0.2**2):
        accuracy = bands_results(results)[variance]["accuracy"]
        for fuzzy, plain in (("frtsvm", "tsvm"), ("fsvm", "svm")):
            gain, p = _paired(accuracy, fuzzy, plain)
            good.append(gain > 0.0 and p < LEVEL)
            bad.append(gain < 0.0 and p < LEVEL)
            phrases.append(
                f"σ = {np.sqrt(variance):.2f}: {METHODS[fuzzy].title} − {METHODS[plain].title} "
                f"{signed(gain)} (p {p_value(p)})"
            )
    return Verdict(
        claim_of(_bands_memberships_help),
        YES if all(good) else NO if any(bad) or not any(good) else UNKNOWN,
        "; ".join(phrases),
    )


def _bands_drop(results: Results) -> Verdict:
    """Noise costs TSVM almost 3 points and FR-TSVM less than 1."""
    found = bands_results(results)
    phrases, verdicts = [], []
    for variance in (0.2, 0.2**2):
        losses = (found[0.0]["accuracy"] - found[variance]["accuracy"]).mean(axis=0)
        twin, fuzzy = (float(losses[PAPER_METHODS.index(m)]) for m in ("tsvm", "frtsvm"))
        verdicts.append(twin > 2.0 and fuzzy < 1.0)
        phrases.append(f"σ = {np.sqrt(variance):.2f}: TSVM loses {twin:.2f}, FR-TSVM {fuzzy:.2f}")
    return Verdict(claim_of(_bands_drop), YES if any(verdicts) else NO, "; ".join(phrases))


def _bands_fastest(results: Results) -> Verdict:
    """On the second set, FR-TSVM trains fastest, and both twin methods faster than SVM and FSVM."""
    seconds = bands_results(results)[0.0]["seconds"].mean(axis=0)
    svm, fsvm, tsvm, frtsvm = (1000.0 * seconds).tolist()
    fastest = frtsvm <= 1.05 * min(svm, fsvm, tsvm)
    return Verdict(
        claim_of(_bands_fastest),
        YES if fastest and tsvm < min(svm, fsvm) else NO,
        f"CPU ms without noise: SVM {svm:.1f}, FSVM {fsvm:.1f}, TSVM {tsvm:.1f}, FR-TSVM {frtsvm:.1f}",
    )


def _parameters_matter(results: Results) -> Verdict:
    """Every parameter matters, the width g of the kernel most, with no common trend."""
    found = {
        c.panel: np.array(r["accuracy"]) for c, r in results.of("sensitivity", SensitivityCell)
    }
    if len(found) < len(PANELS):
        raise NotRun
    # Range of the accuracy along one parameter, mean over the values of the other one of the panel.
    spans: dict[str, list[float]] = {}
    for panel, ((first, _), (second, _)) in PANELS.items():
        spans.setdefault(first, []).append(float(np.ptp(found[panel], axis=0).mean()))
        spans.setdefault(second, []).append(float(np.ptp(found[panel], axis=1).mean()))
    means = {name: float(np.mean(values)) for name, values in spans.items()}
    return Verdict(
        claim_of(_parameters_matter),
        YES if max(means, key=lambda name: means[name]) == "g" else NO,
        "mean range of the test accuracy along each parameter: "
        + ", ".join(f"{name} {value:.1f}" for name, value in means.items())
        + " points. The verdict is about g only; for the trends see "
        "[the figure](#accuracy-over-the-parameters)",
    )


ARTIFICIAL_JUDGES: tuple[Judge, ...] = (
    _ripley_best("linear", "svm"),
    _ripley_best("rbf", "frtsvm"),
    _ripley_fastest,
    _parameters_matter,
    _bands_without_noise,
    _bands_memberships_help,
    _bands_drop,
    _bands_fastest,
)
