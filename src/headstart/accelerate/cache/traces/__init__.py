"""Kept traces:

a function's graph from an earlier process, bound to this process's variables, instead of tracing it anew.
"""
