"""Numbers printed in the paper: B.-B. Gao and J.-J. Wang, arXiv 1711.05406.

Accuracies in percent, times in seconds (MATLAB R2014a on a 3.6 GHz Core i7, with quadprog for all
methods except FR-TSVM). Each row: SVM, FSVM, TSVM, FR-TSVM.
"""

from benchmarks.paper.methods.registry import PAPER_METHODS

Row = tuple[float, float, float, float]

# "Classification performance comparison on artificial Ripleys dataset".
RIPLEY_ACCURACY: dict[str, Row] = {
    "linear": (89.70, 88.80, 89.20, 89.10),
    "rbf": (90.40, 91.10, 90.50, 91.30),
}
RIPLEY_SECONDS: dict[str, Row] = {
    "linear": (1.46, 2.00, 0.28, 0.21),
    "rbf": (1.56, 1.79, 0.60, 0.24),
}

# "Classification performance comparison on the second artificial dataset", by variance of the noise.
BANDS_ACCURACY: dict[float, Row] = {
    0.0: (99.92, 99.88, 99.92, 100.0),
    0.2: (99.37, 99.63, 97.00, 99.33),
}
BANDS_SECONDS: dict[float, Row] = {
    0.0: (16.77, 17.11, 5.03, 0.30),
    0.2: (16.43, 16.74, 4.93, 0.72),
}

# "Comparison results (mean ± std) of linear / nonlinear SVM, FSVM, TSVM and FR-TSVM".
UCI_MEAN: dict[str, dict[str, Row]] = {
    "linear": {
        "breast": (96.33, 97.17, 97.17, 97.17),
        "ionosphere": (83.53, 85.75, 82.33, 87.19),
        "iris": (100.0, 100.0, 100.0, 100.0),
        "australian": (84.92, 85.50, 85.07, 85.93),
        "wdbc": (95.34, 95.87, 93.84, 96.39),
        "wine": (98.89, 98.89, 98.33, 98.89),
        "hepatitis": (79.26, 84.94, 75.58, 85.77),
        "wpbc": (79.93, 74.24, 76.88, 77.96),
        "bupa": (66.36, 67.51, 61.72, 64.38),
        "sonar": (74.08, 77.46, 72.15, 78.34),
        "glass": (70.41, 74.18, 67.64, 81.17),
        "heart": (82.22, 82.59, 84.07, 84.07),
        "pima": (77.21, 75.65, 76.95, 75.13),
    },
    "rbf": {
        "breast": (97.26, 97.17, 96.33, 98.09),
        "ionosphere": (94.84, 94.59, 92.61, 95.41),
        "iris": (100.0, 100.0, 100.0, 100.0),
        "australian": (85.50, 85.50, 85.50, 86.81),
        "wdbc": (94.84, 95.34, 95.34, 96.39),
        "wine": (99.44, 98.89, 100.0, 100.0),
        "hepatitis": (80.51, 84.28, 82.00, 84.48),
        "wpbc": (81.51, 77.88, 75.30, 82.51),
        "bupa": (70.68, 72.71, 71.86, 71.84),
        "sonar": (89.42, 88.92, 89.42, 89.44),
        "glass": (97.68, 96.77, 94.87, 97.21),
        "heart": (84.07, 82.59, 80.74, 84.81),
        "pima": (75.65, 75.26, 77.34, 76.17),
    },
}
UCI_STD: dict[str, dict[str, Row]] = {
    "linear": {
        "breast": (4.77, 4.58, 4.58, 4.58),
        "ionosphere": (6.48, 4.06, 5.18, 4.22),
        "iris": (0.0, 0.0, 0.0, 0.0),
        "australian": (4.53, 4.59, 4.77, 4.39),
        "wdbc": (5.17, 3.21, 5.86, 3.52),
        "wine": (2.34, 2.34, 2.68, 2.34),
        "hepatitis": (8.76, 7.29, 12.50, 7.21),
        "wpbc": (9.49, 10.35, 7.01, 10.03),
        "bupa": (6.04, 7.36, 5.96, 6.24),
        "sonar": (8.96, 7.14, 7.48, 8.29),
        "glass": (10.01, 11.01, 11.02, 13.56),
        "heart": (5.18, 3.51, 4.95, 6.06),
        "pima": (3.75, 4.22, 3.37, 3.78),
    },
    "rbf": {
        "breast": (4.43, 4.58, 4.77, 4.03),
        "ionosphere": (4.01, 4.31, 6.12, 4.93),
        "iris": (0.0, 0.0, 0.0, 0.0),
        "australian": (4.53, 4.59, 4.59, 4.84),
        "wdbc": (4.23, 3.80, 3.80, 3.52),
        "wine": (1.76, 2.34, 0.0, 0.0),
        "hepatitis": (8.32, 7.42, 6.84, 6.86),
        "wpbc": (7.13, 9.43, 7.93, 8.05),
        "bupa": (8.28, 7.93, 5.71, 5.67),
        "sonar": (5.41, 6.95, 5.41, 5.31),
        "glass": (3.95, 4.38, 5.08, 3.93),
        "heart": (5.25, 4.29, 7.16, 4.08),
        "pima": (3.80, 2.91, 5.16, 2.68),
    },
}


def of(row: Row, method: str) -> float:
    return row[PAPER_METHODS.index(method)]
