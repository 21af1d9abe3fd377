"""Records: sources, topology, sampling, checks, and the medium and hard queries that a model writes."""
