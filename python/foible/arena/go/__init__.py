"""Matches of Go: nets that search and engines that speak GTP, cell by cell, and how far they win."""
