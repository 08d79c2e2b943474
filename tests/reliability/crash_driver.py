"""C1: count the file changes of each store operation, then inject a fault into some of them.

`crash_points` starts this program with `faultfs` preloaded. It prints one line of JSON per case.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tests.reliability.faultfs import KINDS, Control
from tests.reliability.operations import OPERATIONS, Operation
from tests.reliability.planted import plant_from_environment
from tests.reliability.victim import Driver


def main() -> None:
    """Count the file changes of each operation, then inject a fault into some of them."""
    home, url, wanted, seed, control = sys.argv[1:]
    driver = Driver(Path(home), url, Control(Path(control), keep=True))
    points: list[tuple[Operation, str, int]] = []
    total = 0
    for operation in OPERATIONS:
        outcome, count = driver.execute(operation, 1, "", 0)
        assert outcome == "survived", (operation.__name__, outcome, driver.broken)
        assert driver.check() == [], driver.check()
        total += count
        points += [(operation, kind, n) for n in range(1, count + 1) for kind in KINDS]
    print(json.dumps({"facts": {"crash points": total if seed == "0" else 0}}), flush=True)
    # The order is the same in every part of a run: each part takes the next cases.
    random.Random(0).shuffle(points)
    first = int(seed) * int(wanted) % len(points)
    chosen = (points + points)[first : first + min(int(wanted), len(points))]
    for number, (operation, kind, target) in enumerate(chosen):
        outcome, _ = driver.execute(operation, number, kind, target)
        found = driver.check()
        name = f"{operation.__name__}, {kind} at change {target}"
        print(json.dumps({"case": name, "found": found, "facts": {outcome: 1}}), flush=True)


if __name__ == "__main__":
    plant_from_environment()
    main()
