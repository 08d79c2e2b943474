"""docs/reproduction.md, put together."""

import os
import platform
from pathlib import Path

import sklearn

from benchmarks.paper.methods.registry import KERNELS
from benchmarks.paper.report.agreement import printed_agreement
from benchmarks.paper.report.artificial import bands_section, ripley_section
from benchmarks.paper.report.claims import claims_table
from benchmarks.paper.report.robustness import details_section, robustness_section
from benchmarks.paper.report.uci import uci_section
from benchmarks.paper.results import Results

# Written by hand on the results of the full run.
DISCUSSION = Path(__file__).with_name("discussion.md")


def write_report(results: Results, folder: Path) -> Path:
    """The report and its figures in `folder`; what was not run is left out, and said so."""
    figures = folder / "reproduction"
    parts = [
        _head(results),
        f"## The claims of the paper\n\n{claims_table(results)}\n",
    ]
    if results.plan.name == "full" and DISCUSSION.is_file():
        parts.append(DISCUSSION.read_text())
    parts += [
        ripley_section(results, figures),
        bands_section(results, figures),
        uci_section(results, figures),
        robustness_section(results, figures),
        details_section(results),
    ]
    path = folder / "reproduction.md"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts))
    return path


def _head(results: Results) -> str:
    cpu = _cpu_model()
    agreement = "; ".join(filter(None, (printed_agreement(results, kernel) for kernel in KERNELS)))
    lines = [
        "# The paper, reproduced and questioned",
        "",
        "Every table and figure of B.-B. Gao and J.-J. Wang, *A Fast and Robust TSVM for Pattern",
        "Classification* (arXiv 1711.05406), recreated with this code next to the printed numbers, and",
        "a study of robustness that the paper does not have. This page and its figures are written by",
        f"`{results.plan.command}`; the code is in `benchmarks/paper/`.",
        "",
        f"Run with Python {platform.python_version()} and scikit-learn {sklearn.__version__} on "
        f"{os.cpu_count()} cores ({cpu}): {results.seconds() / 60:.0f} minutes of CPU time in all.",
    ]
    if agreement:
        lines += [
            "",
            "What the paper's own protocol gives here, and the best candidate chosen in hindsight, "
            f"minus the printed accuracy, mean over the UCI sets in points: {agreement}.",
        ]
    partial = [
        f"{name} {done} of {total}"
        for name in results.experiments
        for done, total in [results.complete(name)]
        if done < total
    ]
    if partial:
        lines += ["", f"**This run is not complete**: {', '.join(partial)} cells are there."]
    if results.left_out:
        lines += ["", "Left out:", "", *(f"- {reason}" for reason in results.left_out)]
    return "\n".join(lines) + "\n"


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()
