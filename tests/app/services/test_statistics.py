"""Statistics of the inference protocol are bounded, whatever callers send."""

from __future__ import annotations

from app.services.statistics import (
    MAX_BATCH_SIZES,
    MAX_VERSIONS,
    InferenceStatistics,
    Stages,
)


def test_batch_sizes_are_bounded_and_totals_are_complete() -> None:
    statistics = InferenceStatistics()
    for rows in range(1, 201):
        statistics.succeeded("m", 1, Stages(rows, 1, 2, 3))
    found = statistics.show("m", 1)
    assert [batch.batch_size for batch in found.batch_stats] == list(
        range(201 - MAX_BATCH_SIZES, 201)
    )
    assert found.inference_count == sum(range(1, 201))
    assert (found.execution_count, found.inference_stats.success.ns) == (200, 1200)


def test_versions_are_bounded() -> None:
    statistics = InferenceStatistics()
    for version in range(1, MAX_VERSIONS + 11):
        statistics.failed("m", version, 5)
    assert len(statistics.known()) == MAX_VERSIONS
    assert statistics.known("m")[0] == ("m", 11)
    assert statistics.known("other") == []
    assert statistics.show("m", 1).inference_stats.fail.count == 0
    assert statistics.show("m", 11).inference_stats.fail.ns == 5
