"""Conversion between bytes and tables or predictions, one module per format, independent of HTTP."""
