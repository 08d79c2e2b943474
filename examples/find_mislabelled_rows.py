"""Train on data with wrong labels, and list the rows that the model suspects of being mislabeled.

Run: python examples/find_mislabelled_rows.py
"""

import numpy as np
from sklearn.datasets import make_moons

from frtsvm_core import FRTSVMClassifier

rng = np.random.default_rng(0)
x, truth = make_moons(1_000, noise=0.15, random_state=0)
x_test, y_test = make_moons(5_000, noise=0.15, random_state=1)

# Flip one label in ten.
wrong = rng.choice(1_000, 100, replace=False)
y = truth.copy()
y[wrong] = 1 - y[wrong]

model = FRTSVMClassifier(membership="neighbors", gamma=2.0, random_state=0).fit(x, y)

suspected = np.flatnonzero(model.suspected_noise_)
found = np.intersect1d(suspected, wrong)
print(
    f"suspected {suspected.size} rows; {found.size} of them are among the {wrong.size} wrong ones"
)
print(f"accuracy on clean rows: {model.score(x_test, y_test):.3f}")
for number, certificate in enumerate(model.certificates_):
    print(
        f"plane of class {number}: objective {certificate.primal:.6f}, no plane is better by more "
        f"than {certificate.gap:.1e}"
    )
