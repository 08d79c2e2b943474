"""Linear FR-TSVM on data larger than the memory of one machine (docs/scaling.md).

    from dask.distributed import Client
    from frtsvm_core import FRTSVMClassifier
    from frtsvm_core.distributed import fit_distributed

    client = Client("tcp://scheduler:8786")
    model = fit_distributed(FRTSVMClassifier("linear"), "s3://bucket/rows", "label", client)

Requires the extra `scale`, which the rest of the package does not need. Reading Parquet files also
requires the extra `arrow`. In a copy of the repository, ``pip install '.[scale,arrow]'`` installs
both.
"""

from frtsvm_core.distributed.fit import Round, fit_distributed

__all__ = ["Round", "fit_distributed"]
