"""What the service promises, and whether this run kept it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    what: str
    against: str
    reached: float | None  # None where the other side did not run
    least: float


def target_rows(targets: list[Target]) -> list[str]:
    return [
        f"| {target.what} | {target.against} | {_verdict(target)} | {target.least:g} x |"
        for target in targets
    ]


def _verdict(target: Target) -> str:
    if target.reached is None:
        return "not measured"
    return f"**{target.reached:.2f} x**" + ("" if target.reached >= target.least else ", missed")
