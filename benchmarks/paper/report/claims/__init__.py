"""Section of the report: a verdict on each claim of the paper."""

from benchmarks.paper.report.claims.artificial import ARTIFICIAL_JUDGES
from benchmarks.paper.report.claims.properties import MODEL_JUDGES, SIZE_JUDGES
from benchmarks.paper.report.claims.uci import UCI_JUDGES
from benchmarks.paper.report.claims.verdict import NO, UNKNOWN, YES, NotRun, Verdict, claim_of
from benchmarks.paper.report.markdown import table
from benchmarks.paper.results import Results


def claims_section(results: Results) -> str:
    verdicts = []
    for judge in (*MODEL_JUDGES, *ARTIFICIAL_JUDGES, *UCI_JUDGES, *SIZE_JUDGES):
        try:
            verdicts.append(judge(results))
        except (NotRun, KeyError):
            verdicts.append(Verdict(claim_of(judge), UNKNOWN, "not run"))
    rows = [[one.claim, f"**{one.verdict}**", one.evidence] for one in verdicts]
    counts = {kind: sum(one.verdict == kind for one in verdicts) for kind in (YES, NO, UNKNOWN)}
    text = table(["claim of the paper", "verdict", "evidence"], rows, numbers=False)
    return f"""## The claims of the paper

Of {len(verdicts)} claims, {counts[YES]} are confirmed and {counts[NO]} are not;
{counts[UNKNOWN]} are inconclusive (no significant difference, or no results). Differences are in
percentage points. The code in `benchmarks/paper/report/claims/` has the rule of each verdict.

{text}

{results.made_by()}
"""
