"""Requests per second and CPU time per request: this service compared with others, in one run."""
