"""What headstart claims, measured. `python -m bench [NAME…]` writes the sections of docs/benchmarks.md."""
