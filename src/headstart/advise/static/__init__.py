"""Reading source code: what static checks and detectors need to know about a program's text."""
