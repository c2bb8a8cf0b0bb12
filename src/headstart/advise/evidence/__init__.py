"""What several detectors ask of a run: repeated work, calls with their cost, the input pipeline."""
