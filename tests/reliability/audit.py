"""Look for known vulnerabilities of the installed packages with pip-audit (`make audit`).

Without its online data pip-audit skips every package and passes. This program fails instead.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Exit code if the packages could not be audited.
NOT_AUDITED = 3
_SKIPPED = ("could not be audited", "ConnectionError", "Failed to", "Max retries", "timed out")


def main() -> int:
    """Audit the packages that `make serve` installs."""
    program = sys.argv[1]
    lock = str(ROOT / "requirements" / "serve.lock")
    command = [program, "--strict", "--disable-pip", "--require-hashes", "--requirement", lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    if done.returncode != 0 and any(word in said for word in _SKIPPED):
        print(f"not audited: pip-audit cannot download its data ({said.splitlines()[-1][:120]})")
        return NOT_AUDITED
    print(said)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
