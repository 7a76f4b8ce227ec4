"""What matches of Go tell of nets: panel scores, ratings, cycles, strength by lambda."""
