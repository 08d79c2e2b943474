"""The color scale viridis. Lower values are darker, and equal steps look equal.

Both hold for color-blind readers too.
"""

from __future__ import annotations

# Equally spaced colors of viridis (Smith and van der Walt).
_STOPS = (
    (68, 1, 84),
    (72, 40, 120),
    (62, 73, 137),
    (49, 104, 142),
    (38, 130, 142),
    (31, 158, 137),
    (53, 183, 121),
    (110, 206, 88),
    (181, 222, 43),
    (253, 231, 37),
)


def colour(share: float) -> str:
    """Return the color for a share between 0 and 1, as `#rrggbb`."""
    place = min(1.0, max(0.0, share)) * (len(_STOPS) - 1)
    below = min(int(place), len(_STOPS) - 2)
    part = place - below
    mixed = (
        round(a + part * (b - a)) for a, b in zip(_STOPS[below], _STOPS[below + 1], strict=True)
    )
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
