"""How fast it is, measured. Each module is one subject; each returns a `Benchmark` and prints nothing."""
