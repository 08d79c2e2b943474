"""Drawings of a parameter search as SVG, made without any library of plots.

The same version always gives the same bytes. A drawing carries its own style, light or dark as its
viewer prefers, and a title and description for those who do not see it.
"""

from app.plots.search import draw
from app.plots.svg import STYLE_DIGEST

__all__ = ["STYLE_DIGEST", "draw"]
