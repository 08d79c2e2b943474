"""Planes: the problem of each plane, its whitening and its certificate, and the decision rule."""
