"""What games tell: move quality, who helps and who tricks whom, how well models predict, how to prepare."""
