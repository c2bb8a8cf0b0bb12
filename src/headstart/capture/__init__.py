"""Inside the target process: probes that write what happens, and change nothing.

Everything here runs in somebody else's program. It imports next to nothing, never imports TensorFlow, never
raises into the program, and leaves no frame of its own in the program's tracebacks.
"""
