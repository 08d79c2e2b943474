"""Section of the report: main findings. Figures and conclusions are computed from the results."""

from benchmarks.paper.report.claims.verdict import NotRun
from benchmarks.paper.report.discussion.advice import which_default, which_method
from benchmarks.paper.report.discussion.memberships import own_class, which_membership
from benchmarks.paper.report.discussion.methods import against_svm, against_tsvm, where_printed
from benchmarks.paper.results import Results

_PARAGRAPHS = {
    "When to use FR-TSVM": which_method,
    "FR-TSVM against SVM and FSVM": against_svm,
    "FR-TSVM against TSVM": against_tsvm,
    "Which membership": which_membership,
    "Memberships on the own-class term": own_class,
    "What an automatic search should try": which_default,
    "Where the printed advantage may come from": where_printed,
}


def discussion(results: Results) -> str:
    parts = [
        "## Main findings",
        "The figures and conclusions of this section are computed from the results below. Differences "
        "are in percentage points, mean over the data sets; p is that of the signed-rank test "
        '(Wilcoxon) over the sets. "Nested" stands for nested cross-validation on the '
        '[UCI sets](#the-uci-sets), "corrupted" for the mean over all corruptions of the '
        '[robustness study](#robustness-to-wrong-labels-and-outliers), and "clean" for its rows '
        'without corruption. That study also explains the memberships "center", "none" and '
        '"neighbors".',
    ]
    for title, paragraph in _PARAGRAPHS.items():
        try:
            parts.append(f"### {title}\n\n{paragraph(results)}")
        except (NotRun, KeyError):
            continue
    return "\n\n".join(parts) + "\n"
