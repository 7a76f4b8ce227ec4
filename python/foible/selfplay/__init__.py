"""Self-play: thousands of games of a net against itself on one evaluator, as data for statistics and training."""
