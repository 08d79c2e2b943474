"""Settings of the memory allocator of a web process."""

from __future__ import annotations

import ctypes

#: Bytes of freed memory that a process keeps; more than that is returned to the operating system.
KEPT_BYTES = 128 * 1024**2

# From malloc.h of glibc.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def keep_freed_memory() -> None:
    """Make glibc keep freed memory for the next large request body.

    By default, glibc returns it to the operating system and requests it again, page by page, for
    the next body. With bodies of megabytes that takes longer than the prediction. Other C libraries
    are not changed.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    mallopt(_ARENA_MAX, 1)  # memory that one thread has freed can be used by another
    mallopt(_MMAP_THRESHOLD, KEPT_BYTES // 4)  # glibc accepts at most 32 MB
    mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
