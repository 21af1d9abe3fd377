"""Argument judging: states, values and their paths, contexts, inputs, references, judgments (D1 to D50)."""
