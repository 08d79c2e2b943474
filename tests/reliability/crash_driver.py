"""C1: counts the changes that each move makes to files, then lets some of them go wrong.

Started by `crash_points` with `faultfs` before the C library. Prints one line of JSON per case.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tests.reliability.faultfs import KINDS, Control
from tests.reliability.moves import MOVES, Move
from tests.reliability.planted import plant_from_environment
from tests.reliability.victim import Driver


def main() -> None:
    """Count the changes of each move, then let some of them go wrong."""
    home, url, wanted, seed, control = sys.argv[1:]
    driver = Driver(Path(home), url, Control(Path(control), keep=True))
    points: list[tuple[Move, str, int]] = []
    total = 0
    for move in MOVES:
        outcome, count = driver.play(move, 1, "", 0)
        assert outcome == "survived", (move.__name__, outcome, driver.broken)
        assert driver.check() == [], driver.check()
        total += count
        points += [(move, kind, n) for n in range(1, count + 1) for kind in KINDS]
    print(json.dumps({"facts": {"crash points": total if seed == "0" else 0}}), flush=True)
    # The same order in every part: each takes the next cases, until there are no more.
    random.Random(0).shuffle(points)
    first = int(seed) * int(wanted) % len(points)
    chosen = (points + points)[first : first + min(int(wanted), len(points))]
    for number, (move, kind, target) in enumerate(chosen):
        outcome, _ = driver.play(move, number, kind, target)
        found = driver.check()
        name = f"{move.__name__}, {kind} at change {target}"
        print(json.dumps({"case": name, "found": found, "facts": {outcome: 1}}), flush=True)


if __name__ == "__main__":
    plant_from_environment()
    main()
