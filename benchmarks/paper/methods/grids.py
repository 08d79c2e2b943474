"""Search grids: the same values for every method that has the parameter."""

from dataclasses import dataclass


def powers_of_two(first: int, last: int, step: int = 1) -> tuple[float, ...]:
    return tuple(2.0**exponent for exponent in range(first, last + 1, step))


@dataclass(frozen=True)
class Grid:
    """`costs` are the values of C, c1 = c2 and c3 = c4; `widths` those of g in exp(-|x - y|^2 / g^2)."""

    costs: tuple[float, ...]
    widths: tuple[float, ...]

    def __str__(self) -> str:
        ends = [(values[0], values[-1], len(values)) for values in (self.costs, self.widths)]
        return ",".join(f"{first:g}..{last:g}/{count}" for first, last, count in ends)

    @property
    def gammas(self) -> tuple[float, ...]:
        return tuple(width**-2 for width in self.widths)

    def axes(self, kernel: str, *names: str) -> dict[str, tuple[float, ...]]:
        """Axes of a search over the named cost parameters, and over gamma if the kernel has one."""
        axes = dict.fromkeys(names, self.costs)
        return axes | {"gamma": self.gammas} if kernel == "rbf" else axes


# The paper's grid of costs. The paper does not state its widths.
PAPER_GRID = Grid(powers_of_two(-8, 8), powers_of_two(-3, 3))
# The same range in steps of a factor of 4, for searches that are repeated hundreds of times.
COARSE_GRID = Grid(powers_of_two(-8, 8, 2), powers_of_two(-2, 2))
SMALL_GRID = Grid(powers_of_two(-6, 6, 4), powers_of_two(-1, 1))
TINY_GRID = Grid(powers_of_two(-2, 2, 4), powers_of_two(0, 0))
