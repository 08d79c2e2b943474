"""Plans: how much to run. The smaller plans only show that everything works."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.paper.cells import Cell
from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.datasets import UCI_SETS
from benchmarks.paper.experiments.bands import bands_cells
from benchmarks.paper.experiments.geometry import geometry_cells
from benchmarks.paper.experiments.ripley import ripley_cells, sensitivity_cells
from benchmarks.paper.experiments.robustness import robustness_cells
from benchmarks.paper.experiments.size import size_cells
from benchmarks.paper.experiments.uci import hindsight_cells, nested_cells, protocol_cells
from benchmarks.paper.experiments.uniqueness import uniqueness_cells
from benchmarks.paper.methods.grids import COARSE_GRID, PAPER_GRID, SMALL_GRID, TINY_GRID, Grid

ROBUSTNESS_SETS = (
    "ripley",
    "australian",
    "bupa",
    "glass_noid",
    "heart",
    "ionosphere",
    "pima",
    "sonar",
    "wdbc",
    "wine",
)


@dataclass(frozen=True)
class Plan:
    name: str
    uci_sets: tuple[str, ...]
    robustness_sets: tuple[str, ...]
    corruptions: tuple[str, ...]
    paper_grid: Grid  # for the paper's own protocol
    repeated_grid: Grid  # for searches that are repeated over seeds
    paper_folds: int
    protocol_seeds: int
    nested_seeds: int
    nested_outer: int
    inner_folds: int
    bands_seeds: int
    robustness_seeds: int
    toys: int
    draws: int  # from Ripley's distribution
    sensitivity_every: int = 1  # use every n-th value of the paper's figure
    size_share: float = 1.0  # share of the rows in the experiment on size

    def experiments(self, available: Sequence[str]) -> dict[str, list[Cell]]:
        """The cells by experiment, for the available data sets."""
        uci = [name for name in self.uci_sets if name in available]
        robust = [name for name in self.robustness_sets if name in available]
        has_ripley = "ripley" in available
        return {
            "ripley": list(ripley_cells(self.paper_grid, self.paper_folds)) if has_ripley else [],
            "sensitivity": list(sensitivity_cells(self.sensitivity_every)) if has_ripley else [],
            "geometry": list(
                geometry_cells(self.toys, self.draws, self.repeated_grid, self.inner_folds)
            ),
            "uniqueness": list(uniqueness_cells(uci)),
            "size": list(size_cells(self.size_share)),
            "bands": list(bands_cells(self.bands_seeds, self.repeated_grid, self.inner_folds)),
            "protocol": list(
                protocol_cells(uci, self.protocol_seeds, self.paper_grid, self.paper_folds)
            ),
            "hindsight": list(hindsight_cells(uci, self.repeated_grid, self.paper_folds)),
            "robustness": list(
                robustness_cells(
                    robust,
                    list(self.corruptions),
                    self.robustness_seeds,
                    self.repeated_grid,
                    self.inner_folds,
                )
            ),
            "nested": list(
                nested_cells(
                    uci, self.nested_seeds, self.repeated_grid, self.nested_outer, self.inner_folds
                )
            ),
        }

    @property
    def command(self) -> str:
        known = {"full": "make paper", "quick": "make paper-quick"}
        return known.get(self.name, self.module)

    @property
    def module(self) -> str:
        plan = "" if self.name == "full" else f" --plan {self.name}"
        return f"python -m benchmarks.paper{plan}"

    @property
    def sets(self) -> list[str]:
        """All data sets of the plan."""
        return list(dict.fromkeys(("ripley", *self.uci_sets, *self.robustness_sets)))


FULL = Plan(
    name="full",
    uci_sets=tuple(UCI_SETS),
    robustness_sets=ROBUSTNESS_SETS,
    corruptions=tuple(CORRUPTIONS),
    paper_grid=PAPER_GRID,
    repeated_grid=COARSE_GRID,
    paper_folds=10,
    protocol_seeds=3,
    nested_seeds=10,
    nested_outer=5,
    inner_folds=5,
    bands_seeds=10,
    robustness_seeds=10,
    toys=50,
    draws=20,
)
QUICK = Plan(
    name="quick",
    uci_sets=("iris", "wine", "wdbc", "heart", "sonar"),
    robustness_sets=("wine", "heart", "ripley"),
    corruptions=("clean", "flip20", "outliers"),
    paper_grid=Grid(PAPER_GRID.costs[::4], PAPER_GRID.widths[1::2]),
    repeated_grid=SMALL_GRID,
    paper_folds=5,
    protocol_seeds=1,
    nested_seeds=2,
    nested_outer=3,
    inner_folds=3,
    bands_seeds=2,
    robustness_seeds=3,
    toys=10,
    draws=4,
    sensitivity_every=2,
    size_share=0.1,
)
TINY = Plan(
    name="tiny",
    uci_sets=("iris", "wine"),
    robustness_sets=("iris", "wine"),
    corruptions=("clean", "flip30"),
    paper_grid=TINY_GRID,
    repeated_grid=TINY_GRID,
    paper_folds=3,
    protocol_seeds=1,
    nested_seeds=1,
    nested_outer=2,
    inner_folds=2,
    bands_seeds=1,
    robustness_seeds=1,
    toys=2,
    draws=1,
    sensitivity_every=8,
    size_share=0.02,
)
PLANS = {plan.name: plan for plan in (FULL, QUICK, TINY)}
