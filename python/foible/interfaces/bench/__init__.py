"""Benchmarks of foible's speed, a module for each subject. They return a `Benchmark` and print nothing."""
