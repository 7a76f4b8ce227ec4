"""`foible gtp`."""

from typing import Annotated, Final, Literal

import typer

from foible.errors import ConfigError
from foible.interfaces.cli.options import Precision, Threads
from foible.interfaces.cli.output import examples
from foible.interfaces.gtp import Settings, serve
from foible.interfaces.gtp.commands.about_engine import read_numbers
from foible.interfaces.gtp.settings import SettingError, fresh_seed
from foible.nets.choices import MATERIAL, default_threads
from foible.nets.go.evaluator import Symmetry

GTP_EXAMPLES = examples(
    "foible gtp --net best.txt.gz --visits 800",
    "foible gtp --net best.txt.gz --lambda 0.5,0.3,0,0 --mu 0.05,0.03,0,0",
    "foible gtp --net best.txt.gz --visits 0 --resignpct 0 --pondering",
    "In a graphical interface: add an engine with this command.",
)

_DEFAULT: Final = Settings(threads=1)
OPTIONS: Final = {
    "threads": "--threads",
    "visits": "--visits",
    "playouts": "--playouts",
    "resign": "--resignpct",
    "lag": "--lagbuffer",
    "random_moves": "--randomcnt",
    "random_temperature": "--randomtemp",
    "random_visits": "--randomvisits",
    "noise_alpha": "--noise-value",
    "cpuct": "--puct",
    "fpu_reduction": "--fpu_reduction",
    "batch": "--batch",
    "seed": "--seed",
}
"""The command-line options of settings that have a range, by the field in `Settings`."""
_NUMBERS: Final = "1 to 4 numbers: own moves when ahead, own when behind, the opponent's when ahead, when behind."


def gtp(
    net: Annotated[
        str,
        typer.Option("--net", "--weights", "-w", help="A net for Go, by name or path.", show_default="no net"),
    ] = MATERIAL,
    visits: Annotated[int, typer.Option("--visits", "-v", help="Of each move; 0: no limit.")] = _DEFAULT.visits,
    playouts: Annotated[
        int, typer.Option("--playouts", "-p", help="New visits of each move; 0: no limit.")
    ] = _DEFAULT.playouts,
    lambda_: Annotated[
        str, typer.Option("--lambda", metavar="NUMBERS", help=f"Weight of the margin of victory, 0 none. {_NUMBERS}")
    ] = "0",
    mu: Annotated[
        str, typer.Option("--mu", metavar="NUMBERS", help="The other end of the interval of bonus points, likewise.")
    ] = "0",
    komi: Annotated[float | None, typer.Option(help="Until one is told.", show_default="9.5 on 7×7, else 7.5")] = None,
    rules: Annotated[Literal["chinese", "tromp-taylor"], typer.Option(help="Until others are told.")] = _DEFAULT.rules,
    resignpct: Annotated[
        float, typer.Option("--resignpct", "-r", help="Resign with a lower winrate, in percent; 0: never.")
    ] = _DEFAULT.resign,
    dumbpass: Annotated[
        bool, typer.Option("--dumbpass", "-d", help="Pass as the search says, whatever the score.")
    ] = _DEFAULT.dumb_pass,
    randomcnt: Annotated[
        int, typer.Option("--randomcnt", "-m", help="Plies in which moves are drawn by their visits.")
    ] = _DEFAULT.random_moves,
    randomtemp: Annotated[float, typer.Option("--randomtemp", help="Of that draw.")] = _DEFAULT.random_temperature,
    randomvisits: Annotated[
        int, typer.Option("--randomvisits", help="Moves with no more visits are not drawn.")
    ] = _DEFAULT.random_visits,
    noise: Annotated[
        bool, typer.Option("--noise", "-n", help="Dirichlet noise in the root's priors.")
    ] = _DEFAULT.noise,
    noise_value: Annotated[
        float, typer.Option("--noise-value", help="Its concentration, as for 19×19.")
    ] = _DEFAULT.noise_alpha,
    puct: Annotated[float, typer.Option("--puct", help="Exploration.")] = _DEFAULT.cpuct,
    fpu_reduction: Annotated[
        float, typer.Option("--fpu_reduction", help="What unvisited moves are thought to be worth less.")
    ] = _DEFAULT.fpu_reduction,
    fpu_zero: Annotated[bool, typer.Option("--fpu_zero", help="Unvisited moves are thought even.")] = _DEFAULT.fpu_zero,
    batch: Annotated[int, typer.Option(help="Leaves per evaluation; 1: PUCT to the letter.")] = _DEFAULT.batch,
    symmetry: Annotated[
        str, typer.Option(metavar="random|average|none|0…7", help="How the net sees positions.")
    ] = "random",
    pondering: Annotated[bool, typer.Option("--pondering", help="Think on the opponent's time.")] = _DEFAULT.pondering,
    lagbuffer: Annotated[
        int, typer.Option("--lagbuffer", "-b", help="Centiseconds that a move loses on its way.")
    ] = _DEFAULT.lag,
    threads: Threads = None,
    precision: Precision = _DEFAULT.precision,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", help="Of all that is left to chance.", show_default="another in each process"),
    ] = None,
) -> None:
    """A Go engine for interfaces that speak GTP, on the standard streams.

    Without a net it plays with the built-in evaluator, which knows no more than captures and area: enough to try the
    command at once.
    """
    try:
        settings = Settings(
            net=net,
            threads=default_threads() if threads is None else threads,
            precision=precision,
            symmetry=_symmetry(symmetry),
            visits=visits,
            playouts=playouts,
            lambda_=_numbers("--lambda", lambda_),
            mu=_numbers("--mu", mu),
            komi=komi,
            rules=rules,
            resign=resignpct,
            lag=lagbuffer,
            pondering=pondering,
            random_moves=randomcnt,
            random_temperature=randomtemp,
            random_visits=randomvisits,
            noise=noise,
            noise_alpha=noise_value,
            dumb_pass=dumbpass,
            cpuct=puct,
            fpu_reduction=fpu_reduction,
            batch=batch,
            fpu_zero=fpu_zero,
            seed=fresh_seed() if seed is None else seed,
        )
    except SettingError as error:
        raise error.named(OPTIONS[error.field]) from None
    serve(settings)


def _numbers(option: str, text: str) -> tuple[float, ...]:
    """:raises ConfigError: the text is no numbers; names the option."""
    try:
        return read_numbers(text)
    except ConfigError as error:
        raise ConfigError(f"{option} {error}") from None


def _symmetry(text: str) -> Symmetry:
    """:raises ConfigError: the text names no symmetry."""
    match text:
        case "random" | "average" | "none":
            return text
        case "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7":
            return int(text)
    raise ConfigError(f"--symmetry {text}: expected random, average, none or a number from 0 to 7")
