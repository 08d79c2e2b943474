"""What to take from the results: numbers are computed from them, and the words follow the numbers."""

from benchmarks.paper.report.claims.verdict import NotRun
from benchmarks.paper.report.discussion.advice import which_default, which_method
from benchmarks.paper.report.discussion.memberships import own_class, which_membership
from benchmarks.paper.report.discussion.methods import against_svm, against_tsvm, where_printed
from benchmarks.paper.results import Results

_PARAGRAPHS = {
    "Where the printed advantage comes from": where_printed,
    "FR-TSVM against SVM and FSVM": against_svm,
    "FR-TSVM against TSVM": against_tsvm,
    "The memberships": which_membership,
    "Memberships on the own-class term": own_class,
    "The default of an automatic search": which_default,
    "When FR-TSVM is the right choice": which_method,
}


def discussion(results: Results) -> str:
    parts = [
        "## What to take from it",
        "*Numbers and verdicts here are computed from the results.*",
    ]
    for title, paragraph in _PARAGRAPHS.items():
        try:
            parts.append(f"**{title}.** {paragraph(results)}")
        except (NotRun, KeyError):
            continue
    return "\n\n".join(parts) + "\n"
