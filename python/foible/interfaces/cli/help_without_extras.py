"""The help of a command that wants a package which is not installed.

Its options stand in modules that import that package. So these are imported with a stand-in for it, which is enough to
show the help; whatever else is asked of the command is refused.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from inspect import getdoc
from itertools import chain
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import typer
from rich.markup import escape

from foible.errors import ConfigError
from foible.extras import PACKAGES, advice, installed
from foible.interfaces.cli.commands import build


def build_for_help(command: str, lacking: str) -> typer.Typer:
    """The app with the command in full, whose help also says `lacking`."""
    with _stand_ins():
        app = build(command)
    groups = [group.typer_instance for group in app.registered_groups if group.typer_instance is not None]
    for group in groups:
        group.info.help = f"{group.info.help}\n\n{escape(lacking)}"
        if group.registered_callback is not None:
            group.registered_callback.callback = _refusing(group.registered_callback.callback, lacking)
    asked = [found for found in app.registered_commands if found.name == command]
    for found in (*asked, *chain.from_iterable(group.registered_commands for group in groups)):
        found.help = f"{found.help or getdoc(found.callback)}\n\n{escape(lacking)}"
        found.callback = _refusing(found.callback, lacking)
    return app


def _refusing(callback: Callable[..., object] | None, lacking: str) -> Callable[..., object]:
    """A command with the same options that only says what it lacks. Where it has a subcommand, that says so itself."""
    assert callback is not None

    @wraps(callback)
    def refuse(**options: object) -> None:
        if not any(getattr(option, "invoked_subcommand", None) for option in options.values()):
            raise ConfigError(lacking)

    return refuse


@contextmanager
def _stand_ins() -> Iterator[None]:
    """Whatever imports packages that are not installed gets stand-ins, and is forgotten with them at the end."""
    before = dict(sys.modules)
    finder = _StandIns()
    sys.meta_path.append(finder)
    sys.modules.update({name: module_from_spec(finder.spec_of(name)) for name in PACKAGES if not installed(name)})
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith("foible.") or advice(name)]:
            if name in before:
                sys.modules[name] = before[name]
            else:
                del sys.modules[name]


class _StandIns(MetaPathFinder, Loader):
    """Makes modules that stand in for the packages which are not installed, and for what lies below them."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        return self.spec_of(fullname) if advice(fullname) else None

    def spec_of(self, name: str) -> ModuleSpec:
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> Any:
        """A module of which everything can be imported and called, as other modules do while they are imported."""
        return MagicMock()

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""
