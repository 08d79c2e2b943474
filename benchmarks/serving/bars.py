"""What the service promises, and whether this run kept it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    what: str
    against: str
    reached: float | None  # None where the other side did not run
    least: float


def bar_rows(bars: list[Bar]) -> list[str]:
    return [f"| {bar.what} | {bar.against} | {_verdict(bar)} | {bar.least:g} x |" for bar in bars]


def _verdict(bar: Bar) -> str:
    if bar.reached is None:
        return "not measured"
    return f"**{bar.reached:.2f} x**" + ("" if bar.reached >= bar.least else ", missed")
