"""Requests per second and CPU time per request, this service next to others, in one run."""
