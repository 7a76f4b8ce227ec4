from foible.nets.encoding import plane_index, policy_moves
from tests.nets.golden import golden_policies

FILES = "abcdefgh"


def square(name: str) -> int:
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def seen_by_mover(move: str, turn: str) -> tuple[int, int, str]:
    """From and to square as the side to move sees them; a knight promotion is a plain pawn move."""
    flip = 56 if turn == "b" else 0
    return square(move[:2]) ^ flip, square(move[2:4]) ^ flip, move[4:].replace("n", "")


def test_there_are_1858_different_moves() -> None:
    assert len(policy_moves()) == len(set(policy_moves())) == 1858


def test_moves_that_can_be_told_by_hand_stand_where_lc0_has_them() -> None:
    place = {move: index for index, move in enumerate(policy_moves())}
    assert place[(0, 1, "")] == 0
    assert place[(0, 8, "")] == 7
    assert place[(48, 56, "")] == 1401
    assert place[(48, 56, "q")] == 1792
    assert place[(55, 63, "b")] == 1857


def test_every_move_has_its_own_place_among_the_73_planes() -> None:
    index = plane_index()
    assert len(set(index.tolist())) == 1858
    assert index.min() >= 0
    assert index.max() < 73 * 64


def test_planes_are_numbered_by_the_square_that_the_move_starts_from() -> None:
    assert [int(i) % 64 for i in plane_index()] == [move[0] for move in policy_moves()]


def test_indices_equal_those_of_the_reference_engine() -> None:
    moves = policy_moves()
    seen = set()
    for record in golden_policies():
        for move, index in record["policy_index"].items():
            castled = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}
            candidates = {seen_by_mover(move, record["turn"])}
            if move in castled:
                candidates.add(seen_by_mover(castled[move], record["turn"]))
            assert moves[index] in candidates, (record["id"], move, index)
            seen.add(index)
    assert len(seen) > 1200
