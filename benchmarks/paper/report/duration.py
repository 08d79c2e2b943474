"""How long it took, and on what."""

from benchmarks.paper.plan import QUICK
from benchmarks.paper.report.markdown import table
from benchmarks.paper.results import Results
from benchmarks.paper.runs import REPORT, Run


def duration_section(results: Results) -> str:
    run = results.run
    if not run.machine:
        return "## How long it took\n\nNot run.\n"
    rows = [
        [name, str(results.complete(name)[0]), *_minutes(results.cpu_seconds(name), wall)]
        for name, wall in ((name, run.wall.get(name)) for name in results.experiments)
        if results.complete(name)[0]
    ]
    if REPORT in run.wall:
        rows.append(["figures and text", "", "", f"{run.wall[REPORT] / 60:.1f}"])
    cells = sum(results.complete(name)[0] for name in results.experiments)
    rows.append(["all", str(cells), *_minutes(run.cpu, run.wall_seconds)])
    quick = results.other_runs.get(QUICK.name)
    return f"""## How long it took

{_run_text(results.plan.command, run)}{_run_text(QUICK.command, quick) if quick else ""}

{table(["experiment", "cells", "CPU minutes", "wall minutes"], rows)}

{results.made_by()}
"""


def _run_text(command: str, run: Run) -> str:
    machine = run.machine
    return (
        f"`{command}`: {run.cpu / 60:.1f} minutes of CPU time in {run.wall_seconds / 60:.1f} "
        f"minutes, with {machine['processes']} processes on {machine['cores']} cores "
        f"({machine['processor']}), Python {machine['python']}, scikit-learn "
        f"{machine['scikit-learn']}, NumPy {machine['numpy']}. "
    )


def _minutes(cpu: float, wall: float | None) -> list[str]:
    return [f"{cpu / 60:.1f}", "" if wall is None else f"{wall / 60:.1f}"]
