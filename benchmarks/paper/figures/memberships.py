"""Memberships of Ripley's training rows: scatter plots and histograms."""

from pathlib import Path

import numpy as np

from benchmarks.paper.figures import style
from benchmarks.paper.methods.registry import KERNEL_TITLES
from benchmarks.paper.methods.rows import Rows
from frtsvm_core import FRTSVMClassifier

GAMMA = 1.0  # the paper's g = 1


def draw_memberships(train: Rows, path: Path) -> Path:
    figure, axes = style.panels(2, 4, (11.0, 5.2))
    columns = [(kernel, label) for kernel in ("linear", "rbf") for label in (1, -1)]
    for number, (kernel, label) in enumerate(columns):
        model = FRTSVMClassifier(kernel, gamma=GAMMA, random_state=0).fit(train.x, train.y)
        own = train.y == label
        x, s = train.x[own], model.memberships_[own]
        suspected = model.suspected_noise_[own]
        top, bottom = axes[:, number]
        top.scatter(*train.x[~own].T, s=6, c="#d5d8dc")
        dots = top.scatter(*x.T, s=16, c=s, cmap="viridis", vmin=0.0, vmax=0.9)
        top.scatter(*x[suspected].T, s=42, facecolors="none", edgecolors=style.POSITIVE, lw=0.8)
        top.set_title(f"class {label:+d}, {KERNEL_TITLES[kernel]}")
        bins = np.linspace(0.0, 0.9, 19)
        bottom.hist(
            [s[~suspected], s[suspected]],
            bins,
            stacked=True,
            color=["#5dade2", style.POSITIVE],
            label=["trusted", "suspected"],
        )
        bottom.set(xlabel="membership", ylabel="rows" if number == 0 else "")
    axes[1, 0].legend()
    figure.colorbar(dots, ax=axes[0, :], label="membership", shrink=0.9, pad=0.01)
    return style.save(figure, path)
