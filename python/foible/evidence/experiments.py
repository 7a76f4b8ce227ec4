"""All experiments that can be run for the claims, by their names."""

from collections.abc import Mapping
from functools import cache

from foible.agents.spec import NetPolicySpec, NetSearchSpec, UciSpec
from foible.arena.papers import EXPERIMENTS
from foible.arena.papers.teams import SFW
from foible.evidence.attuned import AttunedNet
from foible.evidence.go import GO
from foible.evidence.go_training import GO_TRAININGS
from foible.evidence.kinds import Kind
from foible.evidence.loss_measures import Agreement, HandBrainLosses, InducedLosses, LossesByColour, TagTeamLosses
from foible.evidence.made_nets import MadeNet, MadeNetMatch
from foible.evidence.matches import PresetMatch
from foible.evidence.measures import Interesting, Measure, OfMatch, Repetition
from foible.evidence.personal import PersonalNet
from foible.evidence.phase_experts import COLLECTIONS, EXPERTS
from foible.toml import convert

INDUCED_EVERY = 10
OTHERS = (
    NetSearchSpec(name="TREE 1900", net=["maia-1900", "club:1900"], nodes=200),
    NetPolicySpec(name="MAIA 1900", net=["maia-1900", "club:1900"]),
    convert(SFW, UciSpec, "SFW"),
)
"""The players of figure 5, beside the players of a match."""
TREE = NetSearchSpec(name="TREE", net=["maia-1100", "club:1100"], nodes=200)
"""A further player of figure 5, added where it does not play in the match itself."""

MADE_NETS: Mapping[str, tuple[MadeNet, ...]] = {
    "stt-att": (AttunedNet("stt", 1100),),
    "stt-att-1100-1900": (AttunedNet("stt", 1100),),
    "stt-att-1900-1100": (AttunedNet("stt", 1900),),
    "stt-att-1900-1900": (AttunedNet("stt", 1900),),
    "stt-att-1100-sfw": (AttunedNet("stt", 1100),),
    "stt-att-sfw-1100": (AttunedNet("stt", "sfw"),),
    "stt-att-sfw-sfw": (AttunedNet("stt", "sfw"),),
    "stt-att-senior": (AttunedNet("stt", 1100, "senior"),),
    "hb-att": (AttunedNet("hb", 1100),),
    "hb-att-1100-1900": (AttunedNet("hb", 1100),),
    "hb-att-1900-1100": (AttunedNet("hb", 1900),),
    "hb-att-1900-1900": (AttunedNet("hb", 1900),),
    "raw-att": (AttunedNet("stt", 1100),),
    "raw-att-hand": (AttunedNet("hb", 1100),),
    "raw-att-senior": (AttunedNet("stt", 1100, "senior"),),
    "stt-att-1900-player": (AttunedNet("stt", 1900), PersonalNet()),
    "stt-tree-1900-player": (PersonalNet(),),
    "stt-exp-1900-player": (PersonalNet(),),
    "stt-tree-player-player": (PersonalNet(),),
    "stt-exp-player-player": (PersonalNet(),),
}
"""By the name of a match, the nets that are made for it."""


def _matches() -> dict[str, PresetMatch]:
    made = {name: MadeNetMatch(name, nets=nets) for name, nets in MADE_NETS.items()}
    return {name: made.get(name) or PresetMatch(name) for name in EXPERIMENTS}


def _measures() -> dict[str, tuple[str, Measure]]:
    """By the name of an experiment the match and what is measured of it."""
    tag_team, hand_brain = TagTeamLosses(), HandBrainLosses()
    return {
        "stt-tree-losses": ("stt-tree", tag_team),
        "stt-exp-losses": ("stt-exp", tag_team),
        "stt-att-losses": ("stt-att", tag_team),
        "stt-coin-tree-losses": ("stt-coin-tree", tag_team),
        "stt-tree-stockfish-losses": ("stt-tree-stockfish", tag_team),
        "hb-tree-losses": ("hb-tree", hand_brain),
        "hb-exp-losses": ("hb-exp", hand_brain),
        "hb-att-losses": ("hb-att", hand_brain),
        "hb-maia-losses": ("hb-maia", hand_brain),
        "stt-tree-induced": ("stt-tree", InducedLosses(INDUCED_EVERY)),
        "stt-exp-induced": ("stt-exp", InducedLosses(INDUCED_EVERY)),
        "stt-att-induced": ("stt-att", InducedLosses(INDUCED_EVERY)),
        "stt-tree-agreement": ("stt-tree", Agreement(OTHERS)),
        "stt-att-agreement": ("stt-att", Agreement((TREE, *OTHERS))),
        "antimaia-losses": ("antimaia", LossesByColour()),
        "antimaia-stockfish-losses": ("antimaia-stockfish", LossesByColour()),
        **{f"{match}-losses": (match, LossesByColour()) for match in ("antimaia-weight-10", "antimaia-weight-30")},
        **{f"{match}-repetition": (match, Repetition()) for match in ("dial-5", "dial-10", "dial-off", "dial-warm")},
        **{f"{match}-interesting": (match, Interesting()) for match in ("dial-5", "dial-off", "dial-warm")},
    }


@cache
def experiments() -> Mapping[str, Kind]:
    """Matches first, then what is measured on their games."""
    matches = _matches()
    return {
        **matches,
        **{name: OfMatch(name, matches[match], measure) for name, (match, measure) in _measures().items()},
        **GO,
        **GO_TRAININGS,
        **EXPERTS,
        **COLLECTIONS,
    }
