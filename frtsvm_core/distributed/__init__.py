"""Linear FR-TSVM on data that no machine can hold (docs/scaling.md).

    from dask.distributed import Client
    from frtsvm_core import FRTSVMClassifier
    from frtsvm_core.distributed import fit_distributed

    model = fit_distributed(FRTSVMClassifier("linear"), "s3://bucket/rows", "label", Client("tcp://..."))

Needs the extra `scale`. The rest of the package does without it.
"""

from frtsvm_core.distributed.fit import Round, fit_distributed

__all__ = ["Round", "fit_distributed"]
