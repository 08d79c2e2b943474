"""One sentence for each claim of the paper: confirmed, not confirmed, or cannot be told."""

from benchmarks.paper.report.claims.artificial import ARTIFICIAL_JUDGES
from benchmarks.paper.report.claims.properties import MODEL_JUDGES, SIZE_JUDGES
from benchmarks.paper.report.claims.uci import UCI_JUDGES
from benchmarks.paper.report.claims.verdict import UNKNOWN, NotRun, Verdict, claim_of
from benchmarks.paper.report.markdown import table
from benchmarks.paper.results import Results


def claims_table(results: Results) -> str:
    rows = []
    for judge in (*MODEL_JUDGES, *ARTIFICIAL_JUDGES, *UCI_JUDGES, *SIZE_JUDGES):
        try:
            found = judge(results)
        except (NotRun, KeyError):
            found = Verdict(claim_of(judge), UNKNOWN, "not run")
        rows.append([found.claim, f"**{found.verdict}**", found.evidence])
    text = table(["the paper says", "here", "figures"], rows, numbers=False)
    return f"{text}\n\n{results.made_by()}"
