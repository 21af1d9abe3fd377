"""What a run is: its settings, the cells they describe, and the paths of its files."""
