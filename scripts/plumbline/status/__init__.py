"""How far a run is, what it has cost, and what went wrong: read from its files, changing nothing."""
