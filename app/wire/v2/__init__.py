"""Tensors of the Open Inference Protocol (KServe V2), as JSON and as binary data."""
