"""Other people's programs, spoken to over pipes."""
