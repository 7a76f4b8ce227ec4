"""The engine itself: what it is, the memory that it takes, and its end."""

import time
from typing import Final

import foible
from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.session import Action, Session

_MIB: Final = 1 << 20


def describe_engine(session: Session, _: Call) -> str:
    """Gomill's: name, version and what else tells one engine from another."""
    settings = session.settings
    limits = [f"{number} {name}" for name in ("visits", "playouts") if (number := getattr(settings, name))]
    lines = [f"foible {foible.__version__}", f"net: {session.net.evaluator.name}", ", ".join(limits)]
    if not settings.plain:
        weights = (f"{name} {','.join(f'{n:g}' for n in pair)}" for name, pair in _weights(session))
        lines.append(", ".join(weights))
    return "\n".join(lines)


def memory_report(session: Session, _: Call) -> str:
    nodes, memory, cached = session.tree.size
    return (
        f"Search tree: {nodes} nodes, {-(-memory // _MIB)} MiB of {session.settings.memory_mb}\n"
        f"Evaluations kept: {cached}"
    )


def clear_cache(session: Session, _: Call) -> str:
    session.tree.forget_all()
    return ""


def search_reset(session: Session, _: Call) -> str:
    session.tree.forget()
    return ""


def _weights(session: Session) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return ("lambda", session.settings.lambda_), ("mu", session.settings.mu)


COMMANDS: Final[dict[str, Action]] = {
    "protocol_version": lambda session, call: "2",
    "name": lambda session, call: "foible",
    "version": lambda session, call: foible.__version__,
    "quit": lambda session, call: "",
    "cputime": lambda session, call: f"{time.process_time():.3f}",
    "gomill-describe_engine": describe_engine,
    "lz-memory_report": memory_report,
    "lz-search_reset": search_reset,
    "clear_cache": clear_cache,
}
