"""Memory of a web process between requests."""

from __future__ import annotations

import ctypes

#: Bytes of freed memory that a process keeps; what is beyond them goes back to the system.
KEPT_BYTES = 128 * 1024**2

# From malloc.h of glibc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def keep_freed_memory() -> None:
    """Tell the C library to use the memory again that large bodies have freed.

    Left alone, glibc gives it back to the system, page by page, and fetches it anew for the next
    body: at megabytes per request that costs more than predicting. Other C libraries are left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    mallopt(_ARENA_MAX, 1)  # what one thread frees, another can use
    mallopt(_MMAP_THRESHOLD, KEPT_BYTES // 4)  # the largest that glibc takes is 32 MB
    mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
