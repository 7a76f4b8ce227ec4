"""From games to shuffled batches: sources, filters, targets, samples."""
