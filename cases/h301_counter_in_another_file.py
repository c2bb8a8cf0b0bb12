# cause: retrace-python-scalar
# evidence: the step function in one file, the loop in another
# culprit line: in h301_counter_in_another_file_pkg/loop.py, the line with the marker "<<<"
# module: h301_counter_in_another_file_pkg.loop
