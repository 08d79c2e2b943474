"""Generated data sets, and Ripley's data, which has separate training and test files."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.datasets import MissingDataset, data_folder, read_csv
from benchmarks.paper.methods.rows import FloatArray, IntArray, Rows

BoolArray = NDArray[np.bool_]

BANDS_ROWS = 3000
BANDS_TRAINING_ROWS = 600
NOISE_VARIANCE = 0.2


def ripley() -> tuple[Rows, Rows]:
    """Ripley's synthetic data: 250 rows for training, 1,000 for testing."""
    folder = data_folder()
    if folder is None or not (folder / "ripley_train.csv").is_file():
        raise MissingDataset(
            "ripley: ripley_train.csv was not found. Set FRTSVM_DATA_DIR to the folder that contains it."
        )
    return read_csv(folder / "ripley_train.csv"), read_csv(folder / "ripley_test.csv")


def bands(seed: int, noise_variance: float = 0.0) -> tuple[Rows, Rows]:
    """The paper's second artificial set: 600 training rows, with optional noise, and 2,400 test rows.

    x1 is uniform on [-pi/2, 2 pi]. In class +1, x2 is uniform within sin(x1) -+ 0.25; in class -1,
    between 0.6 sin(x1/1.05 + 0.5) - 1.3 and the same curve - 0.8. (The paper prints +0.8 for the last
    number; the positive band would then lie inside the negative one.) Noise is added to both
    coordinates of every training row. The bands overlap slightly near x1 = -1: see
    `bands_bayes_accuracy`.
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


def bands_bayes_accuracy() -> float:
    """Accuracy of the Bayes classifier on the bands without noise, in percent."""
    x1 = np.linspace(-np.pi / 2, 2 * np.pi, 100_001)
    overlap = (0.6 * np.sin(x1 / 1.05 + 0.5) - 0.8) - (np.sin(x1) - 0.25)
    # Both bands have the same density, so half of the rows in the overlap are misclassified.
    return float(100.0 - 50.0 * np.mean(np.maximum(overlap, 0.0) / 0.5))


# Ripley's distribution: each class is two clusters of the same width (Pattern Recognition and Neural
# Networks, 1996).
RIPLEY_CENTRES = {1: ((-0.7, 0.3), (0.3, 0.3)), -1: ((-0.3, 0.7), (0.4, 0.7))}
RIPLEY_VARIANCE = 0.03


def ripley_draw(n_rows: int, seed: int) -> Rows:
    """Draw rows from the distribution of Ripley's data, half of them of each class."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n_rows) % 2 == 0, 1, -1).astype(np.intp)
    centres = np.array([RIPLEY_CENTRES[1], RIPLEY_CENTRES[-1]])
    own = centres[(y < 0).astype(int), rng.integers(0, 2, n_rows)]
    return Rows(own + rng.normal(0.0, np.sqrt(RIPLEY_VARIANCE), (n_rows, 2)), y)


def ripley_bayes_rule(x: FloatArray) -> IntArray:
    """Labels of the Bayes classifier for `ripley_draw`."""
    density = {
        label: sum(
            np.exp(-((x - np.array(centre)) ** 2).sum(axis=1) / (2.0 * RIPLEY_VARIANCE))
            for centre in centres
        )
        for label, centres in RIPLEY_CENTRES.items()
    }
    return np.where(density[1] >= density[-1], 1, -1).astype(np.intp)


TOY_ROWS = 25  # of each class
TOY_NOISE = 3  # of them, with the wrong label


def toy(seed: int) -> tuple[Rows, BoolArray, Rows]:
    """Two elongated classes, with a few rows of each class among the other one.

    This is the situation of the paper's first two figures; the paper does not give their rows. Returns
    the training rows, a mask of those with a wrong label, and 2,000 test rows without noise.
    """
    rng = np.random.default_rng(seed)
    noisy = np.arange(2 * TOY_ROWS) % TOY_ROWS < TOY_NOISE
    y = np.repeat([1, -1], TOY_ROWS)
    test = np.repeat([1, -1], 1000)
    train = Rows(_toy_places(np.where(noisy, -y, y), rng), y.astype(np.intp))
    return train, noisy, Rows(_toy_places(test, rng), test.astype(np.intp))


def _toy_places(side: IntArray, rng: np.random.Generator) -> FloatArray:
    x1 = rng.uniform(-2.0, 2.0, side.size)
    middle = np.where(side > 0, 0.8 + 0.35 * x1, -0.8 - 0.1 * x1)
    return np.stack([x1, middle + rng.normal(0.0, 0.3, side.size)], axis=1)


def pooled(*parts: Rows) -> Rows:
    """Concatenate sets of rows."""
    return Rows(np.vstack([rows.x for rows in parts]), np.concatenate([rows.y for rows in parts]))
