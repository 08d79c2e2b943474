"""Choice among the candidates of a search, and ties."""

import numpy as np

from benchmarks.paper.methods.selection import ScoreTable


def test_the_highest_score_wins() -> None:
    scores = np.array([[0.5, 0.6], [0.9, 0.5]])
    choice = ScoreTable({"c1": (1.0, 2.0), "c3": (4.0, 8.0)}, scores).best()
    assert choice.params == {"c1": 2.0, "c3": 4.0}
    assert choice.score == 0.9


def test_a_tie_goes_to_the_candidate_with_the_better_neighbors() -> None:
    scores = np.array([0.9, 0.1, 0.1, 0.8, 0.9, 0.8, 0.1])
    table = ScoreTable({"C": tuple(float(k) for k in range(7))}, scores)
    assert table.best().params == {"C": 4.0}
