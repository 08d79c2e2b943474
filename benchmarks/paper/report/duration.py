"""Section of the report: duration of the runs, and the machine."""

from benchmarks.paper.plan import QUICK
from benchmarks.paper.report.markdown import table
from benchmarks.paper.results import Results
from benchmarks.paper.runs import REPORT, Run


def duration_section(results: Results) -> str:
    run = results.run
    if not run.machine:
        return "## Duration and machine\n\nNot run.\n"
    rows = [
        [name, str(results.complete(name)[0]), *_minutes(results.cpu_seconds(name), wall)]
        for name, wall in ((name, run.wall.get(name)) for name in results.experiments)
        if results.complete(name)[0]
    ]
    if REPORT in run.wall:
        rows.append(["figures and text", "", "", f"{run.wall[REPORT] / 60:.1f}"])
    cells = sum(results.complete(name)[0] for name in results.experiments)
    rows.append(["total", str(cells), *_minutes(run.cpu, run.wall_seconds)])
    quick = results.other_runs.get(QUICK.name)
    items = [_run_text(results.plan.command, run)]
    if quick:
        items.append(_run_text(QUICK.command, quick))
    listed = "\n".join(f"- {text}" for text in items)
    return f"""## Duration and machine

{listed}

The table has the number of results and the time of each experiment of `{results.plan.command}`.

{table(["experiment", "results", "CPU minutes", "wall minutes"], rows)}

{results.made_by()}
"""


def _run_text(command: str, run: Run) -> str:
    machine = run.machine
    return (
        f"`{command}` took {run.cpu / 60:.1f} minutes of CPU time in {run.wall_seconds / 60:.1f} "
        f"minutes of wall time, with {machine['processes']} processes on {machine['cores']} cores "
        f"({machine['processor']}), Python {machine['python']}, scikit-learn "
        f"{machine['scikit-learn']} and NumPy {machine['numpy']}."
    )


def _minutes(cpu: float, wall: float | None) -> list[str]:
    return [f"{cpu / 60:.1f}", "" if wall is None else f"{wall / 60:.1f}"]
