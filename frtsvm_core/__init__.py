"""Fast and Robust Twin Support Vector Machines over NumPy arrays."""
