"""Download a data set from the UCI repository with ucimlrepo, if it is installed."""

from typing import Any

from benchmarks.paper.methods.rows import Rows
from benchmarks.paper.uci_sets import UCISet, labels_of

# Tolerated difference in rows of class +1: some copies omit a row with missing values.
_ROWS_OFF = 1


class MissingDataset(Exception):
    """The set is not in the data folder, not in scikit-learn, and could not be downloaded."""


def download(known: UCISet) -> Rows:
    """Download a set, and check that it has the class sizes and features that the paper states."""
    try:
        from ucimlrepo import fetch_ucirepo  # optional dependency
    except ImportError as reason:
        raise MissingDataset(
            f"{known.key}: The set is not in FRTSVM_DATA_DIR, and ucimlrepo is not installed. "
            "Install it to download the set: pip install --group paper."
        ) from reason
    try:
        rows = _rows(fetch_ucirepo(name=known.repository_name).data, known)
    except MissingDataset:
        raise
    except Exception as reason:  # ucimlrepo does not document its exceptions
        raise MissingDataset(f"{known.key}: The download from UCI failed: {reason}") from reason
    _, n_positive, _, n_features = known.printed_size
    found = rows.x.shape[1], int((rows.y > 0).sum())
    if found[0] != n_features or abs(found[1] - n_positive) > _ROWS_OFF:
        raise MissingDataset(
            f"{known.key}: The downloaded set is not the one of the paper: it has {found[0]} features "
            f"and {found[1]} positive rows; the paper states {n_features} and {n_positive}."
        )
    return rows


def _rows(data: Any, known: UCISet) -> Rows:
    features, targets = data.features, data.targets
    if known.label is not None:
        if known.label not in data.original:
            raise MissingDataset(
                f"{known.key}: The downloaded set has no column {known.label!r}, the paper's label."
            )
        targets = data.original[[known.label]]
        features = data.original.drop(columns=[known.label, *known.dropped])
    table = features.apply(lambda column: column.astype("float64"))
    return Rows(table.to_numpy(), labels_of(targets.to_numpy(), known))
