"""Run jobs on the workers of a Dask cluster."""
