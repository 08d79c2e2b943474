"""docs/reproduction.md, put together."""

from pathlib import Path

from benchmarks.paper.methods.registry import KERNELS
from benchmarks.paper.report.agreement import printed_agreement
from benchmarks.paper.report.bands import bands_section
from benchmarks.paper.report.claims import claims_table
from benchmarks.paper.report.discussion import discussion
from benchmarks.paper.report.duration import duration_section
from benchmarks.paper.report.geometry import geometry_section
from benchmarks.paper.report.ripley import ripley_section
from benchmarks.paper.report.robustness import details_section, robustness_section
from benchmarks.paper.report.uci import uci_section
from benchmarks.paper.results import Results
from benchmarks.paper.runs import REPORT


def write_report(results: Results, folder: Path, *, timed: bool = False) -> Path:
    """The report and its figures in `folder`; what was not run is left out, and said so."""
    figures = folder / "reproduction"
    if timed:
        with results.run.timed(REPORT, afresh=True):
            parts = _parts(results, figures)
    else:
        parts = _parts(results, figures)
    path = folder / "reproduction.md"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([_head(results), *parts, duration_section(results)]))
    return path


def _parts(results: Results, figures: Path) -> list[str]:
    return [
        f"## The claims of the paper\n\n{claims_table(results)}\n",
        discussion(results),
        geometry_section(results, figures),
        ripley_section(results, figures),
        bands_section(results, figures),
        uci_section(results, figures),
        robustness_section(results, figures),
        details_section(results),
    ]


def _head(results: Results) -> str:
    agreement = "; ".join(filter(None, (printed_agreement(results, kernel) for kernel in KERNELS)))
    lines = [
        "# The paper, reproduced and questioned",
        "",
        "Every table and figure of B.-B. Gao and J.-J. Wang, *A Fast and Robust TSVM for Pattern",
        "Classification* (arXiv 1711.05406), recreated with this code next to the printed numbers, and",
        "a study of robustness that the paper does not have. This page and its figures are written by",
        f"`{results.plan.command}`; the code is in `benchmarks/paper/`.",
    ]
    if results.plan.name == "full":
        lines += [
            "The results behind it are in `benchmarks/results/paper.json`, from which",
            f"`{results.plan.module} --report-only` writes it again.",
        ]
    if agreement:
        lines += [
            "",
            "What the paper's own protocol gives here, and the best candidate chosen in "
            "hindsight, minus the printed accuracy, mean over the UCI sets in points: "
            f"{agreement}.",
        ]
    partial = [
        f"{name} {done} of {total}"
        for name in results.experiments
        for done, total in [results.complete(name)]
        if done < total
    ]
    if partial:
        lines += ["", f"**This run is not complete**: {', '.join(partial)} cells are there."]
    outdated, found = results.outdated()
    if outdated:
        lines += [
            "",
            f"**{outdated} of {found} results are of an earlier state** of the library, of "
            "scikit-learn or of the data than the one that wrote this page; "
            f"`{results.plan.command}` computes them again.",
        ]
    if results.left_out:
        lines += ["", "Left out:", "", *(f"- {reason}" for reason in results.left_out)]
    return "\n".join(lines) + "\n"
