"""Derivation paths of argument values, by text matching with stated normalisation (D2, C-D1 to C-D6)."""

from plumbline.arguments.paths.finding import PathFinder, PathMatch, first_occurrence, value_path

__all__ = ["PathFinder", "PathMatch", "first_occurrence", "value_path"]
