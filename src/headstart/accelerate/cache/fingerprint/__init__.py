"""What a trace can see, as bytes: the code that would run, and every value that it could read.

The walk starts at the traced function and its arguments and follows what Python code can follow: names, closures,
defaults, attributes, classes. Two processes in which it gives the same bytes would trace the same graph; where
that cannot be promised the walk stops with :class:`Unfit` and the function is traced as always.
"""

from .walk import Unfit, Walk

__all__ = ["Unfit", "Walk"]
