"""Plain data in joblib files: what may be in them, and a loader that makes nothing else.

An artifact is a dict of strings, numbers, lists and numeric arrays. Loading one cannot run code:
the unpickler knows three names and the few opcodes that such data need, and the array reader refuses
object arrays and sizes that the file cannot hold. Nothing of NumPy is called before it was checked: its
types, given a state that it has not written, end the process.
"""

from __future__ import annotations

import hashlib
import pickle
import re
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import joblib
import numpy as np
from joblib import numpy_pickle

#: bool, signed, unsigned, float: arrays of anything else are not plain.
ARRAY_KINDS = "biuf"


class NotPlain(ValueError):
    """The data hold something other than plain values."""


class HashingFile:
    """A file that knows the digest of what was written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: Any) -> int:
        """Write and count."""
        view = memoryview(data).cast("B")
        self._hash.update(view)
        self.size += view.nbytes
        return self._file.write(view)

    def tell(self) -> int:
        """The position; joblib aligns arrays by it."""
        return self.size

    @property
    def sha256(self) -> str:
        """Digest of everything written."""
        return self._hash.hexdigest()


def require_plain(value: Any, where: str = "state") -> None:
    """Raise `NotPlain` unless the loader would give `value` back."""
    if value is None or type(value) in (str, int, float, bool):
        return
    if type(value) is np.ndarray:
        if value.dtype.kind not in ARRAY_KINDS:
            raise NotPlain(f"{where} is an array of {value.dtype}")
    elif type(value) is list:
        for i, item in enumerate(value):
            require_plain(item, f"{where}[{i}]")
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotPlain(f"{where} has a key that is not text")
            require_plain(item, f"{where}[{key!r}]")
    else:
        raise NotPlain(f"{where} is a {type(value).__name__}")


def dump_plain(state: dict[str, Any], file: BinaryIO) -> HashingFile:
    """Write, uncompressed so that it can be memory-mapped."""
    require_plain(state)
    out = HashingFile(file)
    joblib.dump(state, out, compress=0)
    return out


class _Type:
    """What a file says about the type of an array."""

    _CODE = re.compile(f"[{ARRAY_KINDS}][0-9]{{1,2}}")
    #: The parts of the state that are not the byte order: no subtype, names, fields or metadata.
    _REST = (None, None, None, -1, -1, 0)

    def __init__(self, code: Any, *_how: Any) -> None:
        self._code, self._order = code, "="

    def __setstate__(self, state: Any) -> None:
        version, self._order, *rest = state
        if version != 3 or tuple(rest) != self._REST:
            raise NotPlain("an array of something other than numbers")

    def checked(self) -> np.dtype[Any]:
        """The type, if it is one of numbers."""
        known = type(self._code) is str and self._CODE.fullmatch(self._code)
        if not known or self._order not in ("<", ">", "|", "="):
            raise NotPlain("an array of something other than numbers")
        found: np.dtype[Any] = np.dtype(self._code).newbyteorder(self._order)
        return found


class _Array:
    """The name of the array class; a file has nothing to do with it but to name it."""


class _CheckedArray(numpy_pickle.NumpyArrayWrapper):  # type: ignore[misc]
    """joblib's array record, checked before anything is read or allocated."""

    dtype: Any
    subclass: Any

    def read(self, unpickler: Any, ensure_native_byte_order: bool) -> Any:
        named = self.dtype
        if type(named) is not _Type or self.subclass is not _Array:
            raise NotPlain("an array of something other than numbers")
        self.dtype, self.subclass = named.checked(), np.ndarray
        count = 1
        for extent in self.shape:
            if type(extent) is not int or extent < 0:
                raise NotPlain("an array with an impossible shape")
            count *= extent
        if count * self.dtype.itemsize > unpickler.file_size:
            raise NotPlain("an array larger than its file")
        if count == 0:  # nothing to map
            unpickler.mmap_mode, kept = None, unpickler.mmap_mode
            empty = super().read(unpickler, False)
            unpickler.mmap_mode = kept
            return empty
        # A view without memmap's per-operation overhead; it keeps the mapping alive.
        return np.asarray(super().read(unpickler, ensure_native_byte_order))


_ALLOWED: dict[tuple[str, str], Any] = {
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _CheckedArray,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
}


#: What dicts, lists, text, numbers and arrays are written with. The others build what is not plain, or
#: take as much memory as a file says it needs (a bytearray, of any length).
_OPCODES = frozenset(
    b"".join(
        (
            *(pickle.PROTO, pickle.FRAME, pickle.STOP, pickle.MARK, pickle.POP, pickle.POP_MARK),
            *(pickle.PUT, pickle.BINPUT, pickle.LONG_BINPUT, pickle.MEMOIZE),
            *(pickle.GET, pickle.BINGET, pickle.LONG_BINGET),
            *(pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE),
            *(pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1, pickle.BINFLOAT),
            *(pickle.BINUNICODE, pickle.SHORT_BINUNICODE),
            *(pickle.EMPTY_LIST, pickle.APPEND, pickle.APPENDS),
            *(pickle.EMPTY_DICT, pickle.SETITEM, pickle.SETITEMS),
            *(pickle.EMPTY_TUPLE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3),
            *(pickle.GLOBAL, pickle.STACK_GLOBAL, pickle.REDUCE, pickle.NEWOBJ, pickle.BUILD),
        )
    )
)


class _PlainUnpickler(numpy_pickle.NumpyUnpickler):  # type: ignore[misc]
    dispatch: ClassVar[dict[int, Any]] = {
        code: read
        for code, read in numpy_pickle.NumpyUnpickler.dispatch.items()
        if code in _OPCODES
    }

    def __init__(self, filename: str, file: BinaryIO, file_size: int) -> None:
        super().__init__(filename, file, False, mmap_mode="r")
        self.file_size = file_size

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise NotPlain(f"the file names {module}.{name}") from None


def load_plain(file: BinaryIO, file_size: int) -> dict[str, Any]:
    """The dict in an open file, its arrays mapped from that very file.

    The caller has checked the digest. `/dev/fd` maps the file that was checked, also when its name
    has meanwhile been given to another.
    """
    state = _PlainUnpickler(f"/dev/fd/{file.fileno()}", file, file_size).load()
    if type(state) is not dict:
        raise NotPlain("the file holds no dict")
    require_plain(state)
    return state


def digest_of(file: BinaryIO) -> str:
    """SHA-256 of an open file, which is left at its start."""
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    return digest


def is_plain_file(path: Path) -> bool:
    """Whether a path is a regular file and no link to one."""
    return path.is_file() and not path.is_symlink()
