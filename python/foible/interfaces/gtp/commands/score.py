"""The end of the game. All stones on the board count as alive: what is dead has to be taken first (SAI, §8)."""

from typing import Final

from foible.engines.gtp_setup import chains
from foible.games.go import score_text
from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Session


def final_score(session: Session, _: Call) -> str:
    return score_text(session.game.position)


def final_status_list(session: Session, call: Call) -> str:
    status = call.word().lower()
    if status not in ("alive", "seki", "dead"):
        raise CommandError(SYNTAX)
    alive = chains(session.game.position) if status == "alive" else []
    return "\n".join(" ".join(chain) for _, chain in alive)


COMMANDS: Final[dict[str, Action]] = {"final_score": final_score, "final_status_list": final_status_list}
