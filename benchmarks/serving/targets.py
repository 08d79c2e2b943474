"""Target ratios of the service, and whether a run reached them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A ratio that the service should reach compared with another system."""

    measurement: str
    compared_with: str
    reached: float | None  # None if the other system did not run
    least: float


def target_rows(targets: list[Target]) -> list[str]:
    return [
        f"| {target.measurement} | {target.compared_with} | {_verdict(target)} | {target.least:g} x |"
        for target in targets
    ]


def _verdict(target: Target) -> str:
    if target.reached is None:
        return "not measured"
    return f"**{target.reached:.2f} x**" + ("" if target.reached >= target.least else ", missed")
