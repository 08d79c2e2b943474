"""A set by its name from the UCI repository, through ucimlrepo where that is installed."""

from typing import Any

from benchmarks.paper.methods.rows import Rows
from benchmarks.paper.uci_sets import UCISet, labels_of

# Copies differ by a row or two that somebody dropped for its gaps.
_ROWS_OFF = 1


class MissingDataset(Exception):
    """The set is not in the data folder, not in scikit-learn, and could not be downloaded."""


def download(known: UCISet) -> Rows:
    """The rows of the set, if what comes has the classes and features that the paper counts."""
    try:
        from ucimlrepo import fetch_ucirepo  # optional: only for sets that are nowhere else
    except ImportError as reason:
        raise MissingDataset(
            f"{known.key}: not in FRTSVM_DATA_DIR, and ucimlrepo is not installed to download it "
            "(pip install --group paper)"
        ) from reason
    try:
        rows = _rows(fetch_ucirepo(name=known.repository_name).data, known)
    except MissingDataset:
        raise
    except Exception as reason:  # a library for the network may fail in any way
        raise MissingDataset(f"{known.key}: download by name failed ({reason})") from reason
    _, n_positive, _, n_features = known.printed_size
    found = rows.x.shape[1], int((rows.y > 0).sum())
    if found[0] != n_features or abs(found[1] - n_positive) > _ROWS_OFF:
        raise MissingDataset(
            f"{known.key}: what was downloaded is not the set of the paper: {found[0]} features "
            f"and {found[1]} positive rows for {n_features} and {n_positive}"
        )
    return rows


def _rows(data: Any, known: UCISet) -> Rows:
    features, targets = data.features, data.targets
    if known.label is not None:
        if known.label not in data.original:
            raise MissingDataset(
                f"{known.key}: what was downloaded has no column {known.label!r}, the paper's label"
            )
        targets = data.original[[known.label]]
        features = data.original.drop(columns=[known.label, *known.dropped])
    table = features.apply(lambda column: column.astype("float64"))
    return Rows(table.to_numpy(), labels_of(targets.to_numpy(), known))
