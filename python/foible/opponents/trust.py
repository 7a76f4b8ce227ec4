"""How far a model may be trusted: the weight λ of its expectation against the worst case."""

from foible.errors import ConfigError


def trust(model: float, uniform: float, best: float) -> float:
    """λ, 0 to 1: how much of the way from a uniform reply to the best level the model goes (opponent-modelling §4).

    All three are mean log-likelihoods a move, in nats, on the same moves of a calibration set: of the model, of a
    uniform choice among the legal moves, and of the single level that explains these moves best.

    :raises ConfigError: the best level is no better than chance, so there is nothing to measure by.
    """
    if not best > uniform:
        raise ConfigError(f"the best level ({best:.4g} nats a move) is no better than chance ({uniform:.4g})")
    return min(max((model - uniform) / (best - uniform), 0.0), 1.0)
