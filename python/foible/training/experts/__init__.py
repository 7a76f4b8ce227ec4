"""Phase experts, the whole paper: regimes, training, table of losses, matches, figures."""
