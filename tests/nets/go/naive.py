"""Random Go nets as texts in Leela Zero's format, and what they compute, by plain numpy in float64: independent of the
package.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXTRA_LINES = {"lz": 0, "t": 2, "y": 4, "v": 8}


@dataclass(frozen=True)
class Recipe:
    """What kind of net to make. No two layers are of one shape."""

    size: int = 5
    blocks: int = 2
    filters: int = 3
    planes: int = 18
    policy: int = 2
    head: str = "y"
    channels: int = 2
    hidden: int = 7
    own_channels: int = 4
    """Of the convolution of beta (`v`)."""
    own_hidden: int = 6
    """Of beta (`v`, `y`)."""
    seed: int = 0


def lines_of(recipe: Recipe) -> list[Array]:
    """The numbers of each line after the first, exact in float32."""
    rng = np.random.default_rng(recipe.seed)
    points, lines = recipe.size**2, []

    def normal(*shape: int) -> Array:
        drawn: Array = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        return drawn.astype(np.float32).astype(np.float64)

    def conv(outputs: int, inputs: int, k: int) -> None:
        spread = rng.uniform(0.5, 2, outputs).astype(np.float32).astype(np.float64)
        lines.extend([normal(outputs, inputs, k, k), normal(outputs), normal(outputs), spread])

    def dense(outputs: int, inputs: int) -> None:
        lines.extend([normal(outputs, inputs), normal(outputs)])

    conv(recipe.filters, recipe.planes, 3)
    for _ in range(2 * recipe.blocks):
        conv(recipe.filters, recipe.filters, 3)
    conv(recipe.policy, recipe.filters, 1)
    dense(points + 1, recipe.policy * points)
    conv(recipe.channels, recipe.filters, 1)
    dense(recipe.hidden, recipe.channels * points)
    dense(1, recipe.hidden)
    own = recipe.channels
    if recipe.head == "v":
        conv(own := recipe.own_channels, recipe.filters, 1)
    if recipe.head in "vy":
        dense(recipe.own_hidden, own * points)
    if recipe.head != "lz":
        dense(1, recipe.own_hidden if recipe.head in "vy" else recipe.hidden)
        lines[-2:] = [line / 8 for line in lines[-2:]]  # beta is to stay in its range
    return lines


def text_of(lines: list[Array]) -> bytes:
    return "\n".join(["1", *(" ".join(map(repr, line.ravel().tolist())) for line in lines)]).encode()


def outputs_of(recipe: Recipe, lines: list[Array], planes: NDArray[np.float32]) -> dict[str, Array]:
    """`policy` `[N, S + 1]`, and `alpha` and `raw`, or `value` before its tanh, each `[N]`."""
    following = iter(lines)

    def conv(flow: Array) -> Array:
        weights, biases, means, spread = (next(following) for _ in range(4))
        k = weights.shape[2]
        padded = np.pad(flow, ((0, 0), (0, 0), (k // 2, k // 2), (k // 2, k // 2)))
        size = flow.shape[2]
        total = sum(
            np.einsum("oi,nihw->nohw", weights[:, :, y, x], padded[:, :, y : y + size, x : x + size])
            for y in range(k)
            for x in range(k)
        )
        biases, means, spread = (numbers[:, None, None] for numbers in (biases, means, spread))
        return np.asarray((total + biases - means) / np.sqrt(spread + 1e-5))

    def dense(flow: Array) -> Array:
        weights, biases = next(following), next(following)
        return flow.reshape(len(flow), -1) @ weights.T + biases

    flow = relu(conv(planes.astype(np.float64)))
    for _ in range(recipe.blocks):
        flow = relu(conv(relu(conv(flow))) + flow)
    policy = dense(relu(conv(flow)))
    board = relu(conv(flow))
    hidden = relu(dense(board))
    value = dense(hidden)[:, 0]
    if recipe.head == "lz":
        return {"policy": policy, "value": value}
    if recipe.head == "v":
        board = relu(conv(flow))
    if recipe.head in "vy":
        hidden = relu(dense(board))
    return {"policy": policy, "alpha": value, "raw": dense(hidden)[:, 0]}


def relu(flow: Array) -> Array:
    return np.maximum(flow, 0)
