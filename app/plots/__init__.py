"""Plots of a parameter search as SVG, written without a plotting library.

The same version always gives the same bytes. Each plot contains its own style, light or dark by the
preference of the viewer, and a title and description for screen readers.
"""

from app.plots.search import draw
from app.plots.svg import STYLE_DIGEST

__all__ = ["STYLE_DIGEST", "draw"]
