"""Time and accuracy of search="auto" on 100,000 rows, with two time budgets."""

from sklearn.datasets import make_moons

from benchmarks.measure import measure
from benchmarks.search.grid import Task, run
from frtsvm_core.model_selection import FRTSVMSearchCV

BUDGETS = (15.0, 60.0)
N_ROWS = 100_000


def moons(budget: float) -> Task:
    x, y = make_moons(N_ROWS, noise=0.25, random_state=0)
    FRTSVMSearchCV(random_state=0).fit(x[:200], y[:200])  # compile before the measurement
    return Task(FRTSVMSearchCV(time_budget=budget, random_state=0), x, y)


def report(_: Task, search: FRTSVMSearchCV) -> dict[str, float]:
    x, y = make_moons(N_ROWS, noise=0.25, random_state=1)
    return {
        "accuracy": search.score(x, y),
        "candidates": len(search.cv_results_["params"]),
        "rows": int(search.cv_results_["n_rows"].max()),
        "rank": search.best_estimator_.rank_,
    }


def rows() -> list[str]:
    lines = []
    for budget in BUDGETS:
        found = measure(moons, run, report, budget)
        facts = found.facts
        lines.append(
            f"| {budget:.0f} | {found.wall:.1f} | {found.cpu:.1f} | {facts['candidates']} "
            f"| {facts['rows']:,} | {facts['rank']} | {100 * facts['accuracy']:.2f} |"
        )
        print(lines[-1], flush=True)
    return lines


HEADER = [
    "| budget, s | wall, s | CPU s | candidates | rows of the last stage | rank of the refit "
    "| test accuracy, % |",
    "|---|---|---|---|---|---|---|",
]
