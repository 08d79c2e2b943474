"""The experiments: each lists its cells for a plan, and computes one."""
