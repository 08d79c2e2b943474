"""`python sklearn_models.py rows.npz FOLDER`: fit and store the models of the other systems.

Runs in the environment of the system, so that the same version of scikit-learn writes and reads the
files.
"""

import sys
from pathlib import Path

import joblib
import numpy as np
from sklearn.svm import SVC, LinearSVC


def main() -> None:
    rows, folder = np.load(sys.argv[1]), Path(sys.argv[2])
    for name, model in (("linear", LinearSVC()), ("rbf", SVC())):
        model.fit(rows["x"], rows["y"])
        joblib.dump(model, folder / f"{name}.joblib")


if __name__ == "__main__":
    main()
