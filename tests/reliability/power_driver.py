"""C3: kill a store at a file change, and continue with the data that a power cut would leave.

`power_cuts` starts this program with `faultfs` preloaded. It prints one line of JSON per case.
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
    """Simulate power cuts, each at a random file change of one of the operations in turn."""
    home, url, wanted, disk, seed, control = sys.argv[1:]
    chance = random.Random(int(seed))
    driver = Driver(Path(home), url, Control(Path(control), keep=True))
    changes = {}
    for operation in OPERATIONS:
        outcome, changes[operation] = driver.execute(operation, 1, "", 0)
        assert outcome == "survived", (operation.__name__, outcome, driver.broken)
    for number in range(int(wanted)):
        operation = OPERATIONS[number % len(OPERATIONS)]
        # One more than the number of changes: the power cut follows the complete operation.
        target = chance.randint(1, changes[operation] + 1)
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
