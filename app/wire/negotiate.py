"""Content negotiation by the `Accept` header (RFC 9110, section 12.5.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_RANGE = re.compile(r"\s*([\w!#$%&'*+.^`|~-]+)/([\w!#$%&'*+.^`|~-]+)\s*((?:;[^,]*)?)")
_QUALITY = re.compile(r";\s*q\s*=\s*(\d(?:\.\d{0,3})?)\s*(?:;|$)", re.IGNORECASE)
#: Maximum number of media ranges that are read from a header. Further ranges are ignored.
MAX_RANGES = 64


@lru_cache(maxsize=256)
def choose(accept: str | None, offered: tuple[str, ...]) -> str | None:
    """Return the offered media type that the client prefers, or None if it accepts none.

    Of equal preferences, the first offer is chosen. Of several ranges that match an offer, the most
    specific one counts: `text/csv;q=0, text/*` refuses CSV. A missing or unreadable header accepts
    everything.
    """
    ranges = _ranges(accept or "*/*")
    if not ranges:
        return offered[0]
    wishes = [(_quality(offer, ranges), -place, offer) for place, offer in enumerate(offered)]
    best, _, offer = max(wishes)
    return offer if best > 0 else None


def _ranges(accept: str) -> list[tuple[str, str, float]]:
    found = []
    for part in accept.split(",")[:MAX_RANGES]:
        match = _RANGE.fullmatch(part)
        if match is not None:
            kind, subtype, parameters = match.groups()
            quality = _QUALITY.search(parameters)
            found.append((kind.lower(), subtype.lower(), float(quality[1]) if quality else 1.0))
    return found


def _quality(offer: str, ranges: Sequence[tuple[str, str, float]]) -> float:
    kind, subtype = offer.split("/")
    best = (-1, 0.0)
    for wanted_kind, wanted_subtype, quality in ranges:
        if wanted_kind == kind and wanted_subtype == subtype:
            specific = 2
        elif wanted_kind == kind and wanted_subtype == "*":
            specific = 1
        elif wanted_kind == wanted_subtype == "*":
            specific = 0
        else:
            continue
        best = max(best, (specific, min(quality, 1.0)))
    return best[1]
