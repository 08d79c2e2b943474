"""C3: kills a store at some change of a file and goes on with what a power cut would have left.

Started by `power_cuts` with `faultfs` before the C library. Prints one line of JSON per case.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path

from tests.reliability.faultfs import Control, mark_all_durable, restore_after_power_cut
from tests.reliability.operations import OPERATIONS
from tests.reliability.planted import plant_from_environment
from tests.reliability.victim import Driver


def main() -> None:
    """As many power cuts as wanted, each at a random change of a random operation."""
    home, url, wanted, disk, seed, control = sys.argv[1:]
    chance = random.Random(int(seed))
    driver = Driver(Path(home), url, Control(Path(control), keep=True))
    changes = {}
    for operation in OPERATIONS:
        outcome, changes[operation] = driver.execute(operation, 1, "", 0)
        assert outcome == "survived", (operation.__name__, outcome, driver.broken)
    for number in range(int(wanted)):
        operation = OPERATIONS[number % len(OPERATIONS)]
        target = chance.randint(1, changes[operation] + 1)  # the last one: after all has been done
        outcome, _ = driver.execute(operation, number, "kill before", target)
        lost = driver.home
        driver.home = lost.with_name(f"home-{number}")
        restore_after_power_cut(Path(disk), lost, driver.home)
        mark_all_durable(Path(disk), driver.home)
        shutil.rmtree(lost)
        name = f"{operation.__name__}, power cut before change {target}"
        found = driver.check()
        print(json.dumps({"case": name, "found": found, "facts": {outcome: 1}}), flush=True)


if __name__ == "__main__":
    plant_from_environment()
    main()
