"""C3: kills a store at some change of a file and goes on with what a power cut would have left.

Started by `power_cuts` with `faultfs` before the C library. Prints one line of JSON per case.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path

from tests.reliability.faultfs import Control, after_power_cut, all_durable
from tests.reliability.moves import MOVES
from tests.reliability.planted import plant_from_environment
from tests.reliability.victim import Driver


def main() -> None:
    """As many power cuts as wanted, each at a random change of a random move."""
    home, url, wanted, disk, seed, control = sys.argv[1:]
    chance = random.Random(int(seed))
    driver = Driver(Path(home), url, Control(Path(control), keep=True))
    changes = {}
    for move in MOVES:
        outcome, changes[move] = driver.play(move, 1, "", 0)
        assert outcome == "survived", (move.__name__, outcome, driver.broken)
    for number in range(int(wanted)):
        move = MOVES[number % len(MOVES)]
        target = chance.randint(1, changes[move] + 1)  # the last one: after all has been done
        outcome, _ = driver.play(move, number, "kill before", target)
        lost = driver.home
        driver.home = lost.with_name(f"home-{number}")
        after_power_cut(Path(disk), lost, driver.home)
        all_durable(Path(disk), driver.home)
        shutil.rmtree(lost)
        name = f"{move.__name__}, power cut before change {target}"
        found = driver.check()
        print(json.dumps({"case": name, "found": found, "facts": {outcome: 1}}), flush=True)


if __name__ == "__main__":
    plant_from_environment()
    main()
