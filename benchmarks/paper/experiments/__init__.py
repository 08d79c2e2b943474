"""The experiments. Each module defines a kind of cell, and lists the cells of a plan."""
