"""Read and write plain data as joblib files, with a loader that cannot run code.

An artifact is a dict of strings, numbers, lists and numeric arrays. The unpickler accepts only
three class names and the few opcodes that such data need. The array reader rejects object arrays,
and arrays larger than their file. The state of a dtype is checked before NumPy sees it: a forged
state can crash the process inside NumPy.
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

#: Allowed kinds of dtype: bool, signed and unsigned integers, floats.
ARRAY_KINDS = "biuf"


class NotPlain(ValueError):
    """The data contain something other than plain values."""


class HashingFile:
    """A file that computes the SHA-256 digest of the data written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: Any) -> int:
        """Write data and update size and digest."""
        view = memoryview(data).cast("B")
        self._hash.update(view)
        self.size += view.nbytes
        return self._file.write(view)

    def tell(self) -> int:
        """Return the position in the file, by which joblib aligns arrays."""
        return self.size

    @property
    def sha256(self) -> str:
        """Digest of all data written so far."""
        return self._hash.hexdigest()


def require_plain(value: Any, where: str = "state") -> None:
    """Raise `NotPlain` unless `load_plain` can restore `value`."""
    if value is None or type(value) in (str, int, float, bool):
        return
    if type(value) is np.ndarray:
        if value.dtype.kind not in ARRAY_KINDS:
            raise NotPlain(
                f"{where} is an array of dtype {value.dtype}; use bool, integers or floats."
            )
    elif type(value) is list:
        for i, item in enumerate(value):
            require_plain(item, f"{where}[{i}]")
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotPlain(
                    f"{where} has a key of type {type(key).__name__}; keys must be strings."
                )
            require_plain(item, f"{where}[{key!r}]")
    else:
        raise NotPlain(f"{where} has the type {type(value).__name__}, which is not plain data.")


def dump_plain(state: dict[str, Any], file: BinaryIO) -> HashingFile:
    """Write plain data, uncompressed so that the arrays can be memory-mapped."""
    require_plain(state)
    out = HashingFile(file)
    joblib.dump(state, out, compress=0)
    return out


class _UncheckedDType:
    """Stands for `numpy.dtype` while a file is read; keeps the code and state unchecked."""

    _CODE = re.compile(f"[{ARRAY_KINDS}][0-9]{{1,2}}")
    #: The state apart from version and byte order: no subtype, names, fields or metadata.
    _REST = (None, None, None, -1, -1, 0)

    def __init__(self, code: Any, *_how: Any) -> None:
        self._code, self._order = code, "="

    def __setstate__(self, state: Any) -> None:
        version, self._order, *rest = state
        if version != 3 or tuple(rest) != self._REST:
            raise NotPlain("The file has an array of something other than numbers.")

    def checked(self) -> np.dtype[Any]:
        """Return the dtype if it is boolean, integer or float; raise `NotPlain` otherwise."""
        known = type(self._code) is str and self._CODE.fullmatch(self._code)
        if not known or self._order not in ("<", ">", "|", "="):
            raise NotPlain("The file has an array of something other than numbers.")
        found: np.dtype[Any] = np.dtype(self._code).newbyteorder(self._order)
        return found


class _ArrayPlaceholder:
    """Stands for `numpy.ndarray` while a file is read; never instantiated."""


class _CheckedArray(numpy_pickle.NumpyArrayWrapper):  # type: ignore[misc]
    """joblib's array record, checked before anything is read or allocated."""

    dtype: Any
    subclass: Any

    def read(self, unpickler: Any, ensure_native_byte_order: bool) -> Any:
        named = self.dtype
        if type(named) is not _UncheckedDType or self.subclass is not _ArrayPlaceholder:
            raise NotPlain("The file has an array of something other than numbers.")
        self.dtype, self.subclass = named.checked(), np.ndarray
        count = 1
        for extent in self.shape:
            if type(extent) is not int or extent < 0:
                raise NotPlain("The file has an array with an invalid shape.")
            count *= extent
        if count * self.dtype.itemsize > unpickler.file_size:
            raise NotPlain("The file has an array that is larger than its file.")
        if count == 0:  # an empty array cannot be memory-mapped
            unpickler.mmap_mode, kept = None, unpickler.mmap_mode
            empty = super().read(unpickler, False)
            unpickler.mmap_mode = kept
            return empty
        # A plain ndarray view avoids the per-operation overhead of memmap; it keeps the mapping
        # open.
        return np.asarray(super().read(unpickler, ensure_native_byte_order))


_ALLOWED: dict[tuple[str, str], Any] = {
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _CheckedArray,
    ("numpy", "ndarray"): _ArrayPlaceholder,
    ("numpy", "dtype"): _UncheckedDType,
}


#: Opcodes for dicts, lists, strings, numbers and arrays. The other opcodes build objects that are
#: not plain, or allocate memory of a size that the file claims (a bytearray of any length).
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
            raise NotPlain(f"The file refers to {module}.{name}, which is not allowed.") from None


def load_plain(file: BinaryIO, file_size: int) -> dict[str, Any]:
    """Load the dict in an open file; its arrays are memory-mapped.

    The caller must have checked the digest. Mapping through `/dev/fd` uses the file that was
    checked, even if another file has been renamed to its path meanwhile.
    """
    state = _PlainUnpickler(f"/dev/fd/{file.fileno()}", file, file_size).load()
    if type(state) is not dict:
        raise NotPlain("The file does not contain a dict.")
    require_plain(state)
    return state


def digest_of(file: BinaryIO) -> str:
    """Return the SHA-256 of an open file; the position is reset to the start."""
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    return digest


def is_plain_file(path: Path) -> bool:
    """Whether a path is a regular file and not a symbolic link."""
    return path.is_file() and not path.is_symlink()
