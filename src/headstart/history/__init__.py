"""What earlier profiles measured: one row a run, in the user's data folder or in a team's database."""
