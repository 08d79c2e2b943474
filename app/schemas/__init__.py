"""The shape of what goes over the wire, and the ranges a caller must respect."""
