"""The paper's tables, built from the computed statistics (skill-compatible §5, §7)."""

from collections.abc import Iterable, Sequence

from foible.analysis.estimates import Comparison, Estimate
from foible.analysis.quality.hypothetical_moves import Agreement, InducedLosses
from foible.analysis.quality.move_losses import BLUNDER, Colour, TagTeamLosses
from foible.analysis.quality.partners import Bin, Exceedance, HandLosses, Interaction, Interactions, TagTeamEffects
from foible.analysis.report_page import Cell, Table

TESTS = ("p by moves", "p by pairs")


def _tests(difference: Estimate) -> tuple[Cell, Cell]:
    return difference.independent_test, difference.test


def _counts(estimate: Estimate) -> tuple[Cell, Cell]:
    return estimate.n, estimate.clusters


LOSS_NOTE = (
    "percentage points of win probability per move, clipped to 0 … 100; “gains counted”: not clipped, negative where"
    " the judge thought better of the position after the move"
)


def tag_team_table(clipped: TagTeamLosses, raw: TagTeamLosses, focal: str, alter: str) -> Table:
    """The mean losses of the members of tag teams (table 2)."""

    def rows_of(role: str, loss: Comparison, unclipped: Comparison) -> list[tuple[Cell, ...]]:
        return [
            (f"{alter}: {role}", loss.first, unclipped.first, *_counts(loss.first), None, None),
            (f"{focal}: {role}", loss.second, unclipped.second, *_counts(loss.second), None, None),
            (
                f"Δ {role}s",
                loss.difference,
                unclipped.difference,
                *_counts(loss.difference),
                *_tests(loss.difference),
            ),
        ]

    rows = [
        *rows_of("senior", clipped.seniors, raw.seniors),
        *rows_of("junior", clipped.juniors, raw.juniors),
        ("Δ teams", clipped.teams, raw.teams, *_counts(clipped.teams), *_tests(clipped.teams)),
    ]
    note = f"Δ = {alter} − {focal}; that of the teams is the sum of the two"
    return _losses_table("Mean loss of every member (table 2)", rows, note)


def teams_table(clipped: Comparison, raw: Comparison, focal: str, alter: str) -> Table:
    """Mean losses of the teams, for games without seniors and juniors."""
    rows: list[tuple[Cell, ...]] = [
        (alter, clipped.first, raw.first, *_counts(clipped.first), None, None),
        (focal, clipped.second, raw.second, *_counts(clipped.second), None, None),
        ("Δ", clipped.difference, raw.difference, *_counts(clipped.difference), *_tests(clipped.difference)),
    ]
    return _losses_table("Mean loss of either side", rows, f"Δ = {alter} − {focal}")


def _losses_table(title: str, rows: Iterable[tuple[Cell, ...]], note: str) -> Table:
    columns = ("", "loss", "gains counted", "moves", "pairs", *TESTS)
    return Table("losses", title, columns, tuple(rows), f"{LOSS_NOTE}; {note}")


def colours_table(colours: Sequence[Colour], focal: str, alter: str) -> Table:
    """The statistics by the focal team's colour, as the post has them for its games (opponent-modelling §1.5)."""
    rows = [
        (
            f"{focal} as {'White' if found.focal_white else 'Black'}",
            found.plies.n,
            found.plies,
            found.alter_loss,
            found.alter_blunders,
            found.focal_loss,
            found.focal_blunders,
            found.lowest,
        )
        for found in colours
    ]
    note = (
        f"loss in percentage points a move, blunders: percent of the moves that lose {BLUNDER:g} points or more;"
        f" lowest: of a game, before a move of {focal}"
    )
    columns = (
        "",
        "games",
        "plies",
        f"loss of {alter}",
        f"blunders of {alter}, %",
        f"loss of {focal}",
        f"blunders of {focal}, %",
        f"lowest win probability of {focal}, %",
    )
    return Table("colours", "By colour", columns, tuple(rows), note)


def effects_table(effects: TagTeamEffects, focal: str, alter: str) -> Table:
    """Table 3, with rows for I as defined, in addition to the helping −I that the paper prints."""
    by_alter, by_focal = effects.alter, effects.focal

    def row(what: str, first: Estimate, second: Estimate, contrast: Estimate) -> tuple[Cell, ...]:
        return what, first, second, contrast, *_counts(contrast), *_tests(contrast)

    def raw(what: str, first: Comparison, second: Comparison) -> tuple[Cell, ...]:
        n = first.difference.n + second.difference.n
        return what, first.difference, second.difference, None, n, None, None, None

    indirect = effects.indirect
    rows = [
        row("tricking: I(J_opp, ∅)", by_alter.tricking.difference, by_focal.tricking.difference, effects.tricking),
        row(
            "helping, junior between: −I(J_par, 0)",
            by_alter.helping_junior_between,
            by_focal.helping_junior_between,
            effects.helping_junior_between,
        ),
        row(
            "helping, senior between: −I(J_par, 1)",
            by_alter.helping_senior_between,
            by_focal.helping_senior_between,
            effects.helping_senior_between,
        ),
        raw("  I(J_par, 0)", by_alter.partner_after_junior, by_focal.partner_after_junior),
        raw("  I(J_par, 1)", by_alter.partner_after_senior, by_focal.partner_after_senior),
        (
            "indirect: junior's loss after two juniors",
            indirect.first,
            indirect.second,
            indirect.difference,
            *_counts(indirect.difference),
            *_tests(indirect.difference),
        ),
    ]
    note = (
        "percentage points per move; tricking: what the opposing junior loses more right after the senior than after"
        " his junior; helping: what the own junior loses less two plies after the senior than after itself; positive"
        " differences speak for the focal team: focal − alter, and alter − focal for the indirect effect"
    )
    columns = ("", alter, focal, "difference", "moves", "pairs", *TESTS)
    return Table("effects", "What a senior does to the next moves (table 3)", columns, tuple(rows), note)


def hand_losses_table(argmax: Sequence[HandLosses], sampled: Sequence[HandLosses], focal: str, alter: str) -> Table:
    """Table 4 in both forms; each sequence holds the alter team's and the focal team's."""
    true, brain = [team.true for team in argmax], [team.brain for team in argmax]
    lines: list[tuple[str, list[Estimate]]] = [
        ("true: the move played", true),
        ("hand's likeliest move", [team.unforced for team in argmax]),
        ("savings against the likeliest", [team.savings for team in argmax]),
        ("hand's own draw", [team.unforced for team in sampled]),
        ("savings against the draw", [team.savings for team in sampled]),
        ("brain's own move", brain),
    ]
    rows = tuple((what, first, first.n, second, second.n) for what, (first, second) in lines)
    note = (
        "percentage points per move; savings = unforced − true, positive where the brain helped. Against the likeliest"
        " move they hold the price of drawing as well; against the hand's own draw they do not"
    )
    columns = ("", alter, f"moves of {alter}", focal, f"moves of {focal}")
    return Table("hand-losses", "Losses of hand and brain (table 4)", columns, rows, note)


def interactions_table(
    sampled: Sequence[Interactions], argmax: Sequence[Interactions], focal: str, alter: str
) -> Table:
    """Table 7 in both forms; each sequence holds the alter team's and the focal team's."""
    rows: list[tuple[Cell, ...]] = []
    for form, teams in (("drawn", sampled), ("likeliest", argmax)):
        for kind in ("agreement", "correction", "disagreement", "blindsiding"):
            for team, interactions in zip((alter, focal), teams, strict=True):
                met: Interaction = getattr(interactions, kind)
                rows.append((f"{kind}: {team}", form, met.share, met.savings, met.savings.n, met.opponent_loss))
    note = (
        "share in percent of the moves, savings and the loss of the opponents' next move in percentage points;"
        " undefined for a brain that names types only"
    )
    columns = ("", "unforced move", "share", "savings", "moves", "opponents' next loss")
    return Table("interactions", "How brain and hand meet (table 7)", columns, tuple(rows), note)


def induced_table(induced: InducedLosses, focal: str, alter: str, every: int) -> Table:
    """The losses that either senior would induce (table 6)."""
    rows = tuple(
        (f"boards of {team}", by.second, by.first, by.difference, *_counts(by.difference), *_tests(by.difference))
        for team, by in ((alter, induced.alter_boards), (focal, induced.focal_boards))
    )
    plies = "every ply" if every == 1 else f"one ply in {every}"
    note = f"percentage points that the junior's reply loses; {plies} of each game, whoever really moved"
    columns = ("", f"senior of {alter}", f"senior of {focal}", "focal − alter", "boards", "pairs", *TESTS)
    return Table("induced", "Loss that either senior would induce (table 6)", columns, rows, note)


def exceedance_table(of_alter: Sequence[Exceedance], of_focal: Sequence[Exceedance], focal: str, alter: str) -> Table:
    """The numbers of figure 3."""
    rows = tuple(
        (f"≥ {e.threshold:g}: {team}", e.after_senior, e.after_junior, e.ratio, e.ratio.n)
        for team, exceedances in ((alter, of_alter), (focal, of_focal))
        for e in exceedances
    )
    note = "shares (0 to 1) of the opposing junior's moves that lose at least so many percentage points"
    columns = ("", "right after the senior", "after his junior", "ratio", "moves")
    return Table("errors-after-seniors", "Errors after a senior's move (figure 3)", columns, rows, note)


def bins_table(bins: Sequence[Bin], focal: str, alter: str) -> Table:
    """The numbers of figure 4."""
    rows = tuple(
        (
            f"{bin_.low:.0f} … {bin_.high:.0f} %",
            bin_.juniors.first,
            bin_.juniors.second,
            bin_.juniors.difference,
            *_counts(bin_.juniors.difference),
        )
        for bin_ in bins
    )
    columns = ("win probability", f"junior of {alter}", f"junior of {focal}", "Δ alter − focal", "moves", "pairs")
    note = "mean loss in percentage points by the mover's win probability before the move"
    return Table("losses-by-win-probability", "Juniors' losses by win probability (figure 4)", columns, rows, note)


def agreement_table(agreement: Agreement) -> Table:
    """The numbers of figure 5."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (player, *cells) for player, cells in zip(agreement.players, agreement.percent, strict=True)
    )
    positions = max((cell.n for cells in agreement.percent for cell in cells), default=0)
    note = f"percent of {positions} positions in which both choose the same move"
    return Table("agreement", "Who chooses like whom (figure 5)", ("", *agreement.players), rows, note)


def modes_table(rows: Iterable[tuple[str, Estimate, Estimate]], mode: str) -> Table:
    """Mean losses by win probability (1 + q) / 2 and by that of another mode, and the second divided by the first."""
    lines: tuple[tuple[Cell, ...], ...] = tuple(
        (what, q, other, other.value / q.value if q.value and other.value is not None else None, q.n)
        for what, q, other in rows
    )
    note = "mean loss in percentage points; this report is in the second form (skill-compatible §5.1)"
    return Table("modes", f"Win probability as q and as {mode}", ("", "q", mode, "ratio", "moves"), lines, note)
