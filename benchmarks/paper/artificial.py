"""Data sets that are generated or come in two parts."""

import numpy as np

from benchmarks.paper.datasets import MissingDataset, data_folder, read_csv
from benchmarks.paper.methods.rows import Rows

BANDS_ROWS = 3000
BANDS_TRAINING_ROWS = 600
NOISE_VARIANCE = 0.2


def ripley() -> tuple[Rows, Rows]:
    """Ripley's synthetic data: 250 rows for training, 1,000 for testing."""
    folder = data_folder()
    if folder is None or not (folder / "ripley_train.csv").is_file():
        raise MissingDataset("ripley: set FRTSVM_DATA_DIR to the folder that has ripley_train.csv")
    return read_csv(folder / "ripley_train.csv"), read_csv(folder / "ripley_test.csv")


def bands(seed: int, noise_variance: float = 0.0) -> tuple[Rows, Rows]:
    """The paper's second artificial set: 600 rows for training, noisy if asked, 2,400 for testing.

    x1 is uniform on [-pi/2, 2 pi] and x2 uniform within sin(x1) -+ 0.25 for class +, between
    0.6 sin(x1/1.05 + 0.5) - 1.3 and the same - 0.8 for class -. (In print the last number is +0.8; then
    the positive band lies inside the negative one.) Noise moves both coordinates of every training row.
    Near x1 = -1 the bands overlap a little: see `best_bands_accuracy`.
    """
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(BANDS_ROWS) % 2 == 0, 1, -1)
    x1 = rng.uniform(-np.pi / 2, 2 * np.pi, BANDS_ROWS)
    lower = np.where(y > 0, np.sin(x1) - 0.25, 0.6 * np.sin(x1 / 1.05 + 0.5) - 1.3)
    x = np.stack([x1, lower + rng.uniform(0.0, 0.5, BANDS_ROWS)], axis=1)
    order = rng.permutation(BANDS_ROWS)
    everything = Rows(x, y.astype(np.intp))
    train = everything[order[:BANDS_TRAINING_ROWS]]
    noise = rng.normal(0.0, np.sqrt(noise_variance), train.x.shape)
    return Rows(train.x + noise, train.y), everything[order[BANDS_TRAINING_ROWS:]]


def best_bands_accuracy() -> float:
    """The accuracy, in per cent, that no classifier can expect to exceed without noise."""
    x1 = np.linspace(-np.pi / 2, 2 * np.pi, 100_001)
    overlap = (0.6 * np.sin(x1 / 1.05 + 0.5) - 0.8) - (np.sin(x1) - 0.25)
    # Where both bands have the same density half of the rows are lost.
    return float(100.0 - 50.0 * np.mean(np.maximum(overlap, 0.0) / 0.5))


def pooled(*parts: Rows) -> Rows:
    """The parts as one set."""
    return Rows(np.vstack([rows.x for rows in parts]), np.concatenate([rows.y for rows in parts]))
