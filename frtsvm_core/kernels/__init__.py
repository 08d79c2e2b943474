"""Kernels: their functions, their factorization, and their expansion over landmarks."""
