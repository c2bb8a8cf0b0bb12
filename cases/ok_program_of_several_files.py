# cause: none (healthy: run with -m; model, data and loop in files of their own)
# module: ok_program_of_several_files_pkg.train
