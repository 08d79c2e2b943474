"""Axes of plots: coordinates of values, and ticks at round values."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Leading digits of the step between ticks of a linear axis. All but the last are also the leading
#: digits of the ticks of a logarithmic axis with a short range.
ROUND = (1.0, 2.0, 5.0, 10.0)
#: Differences between the exponents of 10 of neighboring ticks of a logarithmic axis.
DECADES = (1, 2, 3, 5, 10, 20, 50, 100)
MOST_TICKS = 8


@dataclass(frozen=True)
class Axis:
    """Maps values from `low` to `high` to coordinates from `start` to `end`.

    The values of a logarithmic axis are positive.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return the coordinate of a value."""
        low, high, at = (self._measure(v) for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (at - low) / (high - low)

    def ticks(self) -> list[float]:
        """Return round values within the range."""
        found = self._within(self._decades()) if self.logarithmic else []
        return found if len(found) > 1 else self._within(_multiples(self.low, self.high))

    def _within(self, values: list[float]) -> list[float]:
        slack = 1e-9 * (self._measure(self.high) - self._measure(self.low))
        low, high = self._measure(self.low) - slack, self._measure(self.high) + slack
        return [
            v for v in values if v > 0 or not self.logarithmic if low <= self._measure(v) <= high
        ]

    def _measure(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def _decades(self) -> list[float]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        if last - first <= 3:
            return [digit * 10.0**power for power in range(first, last + 1) for digit in ROUND[:3]]
        step = next((s for s in DECADES if (last - first) / s <= MOST_TICKS), DECADES[-1])
        return [10.0**power for power in range(first, last + 1) if power % step == 0]


def padded(low: float, high: float, share: float = 0.08) -> tuple[float, float]:
    """Extend a range at both ends by a share of its length."""
    room = share * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def padded_logarithmic(low: float, high: float, factor: float = 1.3) -> tuple[float, float]:
    """Extend a range of positive values at both ends by a factor, for a logarithmic axis."""
    return low / factor, high * factor


def format_number(value: float) -> str:
    """Return a number with about four significant digits, such as `0.25` or `2.5·10⁷`."""
    if not value or 1e-4 <= abs(value) < 1e5:
        return f"{value:.4g}"
    digits, _, exponent = f"{value:.2e}".partition("e")
    digits = digits.rstrip("0").rstrip(".")
    power = f"10{_raised(int(exponent))}"
    return power if digits == "1" else f"{digits}·{power}"


def _raised(exponent: int) -> str:
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _multiples(low: float, high: float) -> list[float]:
    rough = (high - low) / 5.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(digit * power for digit in ROUND if digit * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]
