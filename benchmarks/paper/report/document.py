"""Write docs/reproduction.md: the head of the page and all sections."""

from pathlib import Path

from benchmarks.paper.methods.registry import KERNELS, METHODS, PAPER_METHODS
from benchmarks.paper.report.agreement import agreement_rows
from benchmarks.paper.report.bands import bands_section
from benchmarks.paper.report.claims import claims_section
from benchmarks.paper.report.discussion import discussion
from benchmarks.paper.report.duration import duration_section
from benchmarks.paper.report.geometry import geometry_section
from benchmarks.paper.report.markdown import table, wrapped
from benchmarks.paper.report.ripley import ripley_section
from benchmarks.paper.report.robustness import details_section, robustness_section
from benchmarks.paper.report.uci import uci_section
from benchmarks.paper.results import Results
from benchmarks.paper.runs import REPORT

_CONTENTS = (
    "[Main findings](#main-findings) · "
    "[The claims of the paper](#the-claims-of-the-paper) · "
    "[Fig. 1 and 2](#the-papers-fig-1-and-2-planes-among-noisy-rows) · "
    "[Ripley's data](#ripleys-synthetic-data) · "
    "[Second artificial set](#the-second-artificial-set) · "
    "[UCI sets](#the-uci-sets) · "
    "[Training time](#training-time) · "
    "[Robustness](#robustness-to-wrong-labels-and-outliers) · "
    "[Duration](#duration-and-machine)"
)


def write_report(results: Results, folder: Path, *, timed: bool = False) -> Path:
    """Write the report and its figures to `folder`. Sections without results say "Not run"."""
    figures = folder / "reproduction"
    if timed:
        with results.run.timed(REPORT, afresh=True):
            parts = _parts(results, figures)
    else:
        parts = _parts(results, figures)
    path = folder / "reproduction.md"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(wrapped("\n".join([_head(results), *parts, duration_section(results)])))
    return path


def _parts(results: Results, figures: Path) -> list[str]:
    return [
        discussion(results),
        claims_section(results),
        geometry_section(results, figures),
        ripley_section(results, figures),
        bands_section(results, figures),
        uci_section(results, figures),
        robustness_section(results, figures),
        details_section(results),
    ]


def _head(results: Results) -> str:
    lines = [
        "# Reproduction of the FR-TSVM paper",
        "",
        "This page has every table and figure of B.-B. Gao and J.-J. Wang, *A Fast and Robust TSVM for "
        "Pattern Classification* (arXiv 1711.05406), computed again with this library and shown next "
        "to the printed numbers. It adds a study of robustness to wrong labels, which the paper does "
        "not have.",
        "",
        _CONTENTS,
        "",
        f"`{results.plan.command}` computes the results and writes this page and its figures. The code "
        "is in `benchmarks/paper/`. A UCI set is read from the folder `FRTSVM_DATA_DIR`, or else from "
        "scikit-learn or the UCI repository (after `pip install --group paper`). Ripley's data are "
        "read only from that folder. Sets that are not found are left out. "
        "`benchmarks/paper/datasets.py` describes the files of the folder.",
    ]
    if results.plan.name == "full":
        lines += [
            "",
            "The results are stored in `benchmarks/results/paper.json`; "
            f"`{results.plan.module} --report-only` writes the page again from that file. A "
            "command with `--only` computes the results of one part and does not write the page, "
            "so run `--report-only` after it.",
        ]
    outdated, found = results.outdated()
    if outdated:
        lines += [
            "",
            f"**Which code computed these results.** {outdated:,} of {found:,} results were computed "
            "with an earlier version of the code, of scikit-learn or of the data than the one that "
            "wrote this page. The code counts as changed if it behaves differently, and also if a "
            f"module, function or variable was only renamed. `{results.plan.command}` computes the "
            "results again with the present code.",
        ]
    partial = [
        f"{name} {done} of {total}"
        for name in results.experiments
        for done, total in [results.complete(name)]
        if done < total
    ]
    if partial:
        lines += ["", f"**This run is not complete.** Results so far: {', '.join(partial)}."]
    if results.left_out:
        lines += ["", "Data sets left out:", "", *(f"- {reason}" for reason in results.left_out)]
    lines += [
        "",
        "**Methods.** SVM is scikit-learn's SVC. FSVM (fuzzy SVM) is the same with the paper's "
        "memberships as row weights, at μ = 1/2, which treats suspected rows like all others. TSVM "
        "(twin SVM) and FR-TSVM are those of this library. [maths.md](maths.md) has their "
        "equations; the [glossary](glossary.md) explains twin plane, membership, suspected row and "
        "certificate.",
        "",
        "**Parameters.** C is the slack cost of SVM and FSVM, and c₁ = c₂ that of TSVM. FR-TSVM "
        "has the weight c₁ = c₂ of its margin term, and the slack cost c₃ = c₄. The Gaussian "
        "kernel of width g is exp(−|x − y|²/g²), so γ = 1/g². μ is 0.1 unless stated otherwise. A "
        "candidate is one combination of parameter values that a search tries.",
        "",
        "**How to read the tables.** Accuracies are in percent, and differences in percentage "
        'points. The best value of a row is bold. "Printed" marks the paper\'s own numbers. The '
        'section on the [UCI sets](#the-uci-sets) defines "nested", "in hindsight" and "the '
        'paper\'s protocol". "Significant" means p < 0.05. Times found here are CPU '
        "times of one fit with the tuned parameters, including kernel and memberships, the shortest "
        "of several fits.",
    ]
    agreement = [row for kernel in KERNELS for row in agreement_rows(results, kernel)]
    if agreement:
        header = ["found minus printed, points", *(METHODS[m].title for m in PAPER_METHODS)]
        lines += [
            "",
            "**How close the results are to the printed ones.** The table has the accuracy found here "
            "minus the printed one, mean over the UCI sets, for the paper's own protocol and for the "
            "best candidate chosen in hindsight.",
            "",
            table(header, agreement),
            "",
            results.made_by("protocol", "hindsight"),
        ]
    return "\n".join(lines) + "\n"
