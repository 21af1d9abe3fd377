"""Records written by a model from a domain label alone, in stages that are each checked by program (A2)."""
