"""The messages as TypeScript: `python -m foible.interfaces.web.typescript > web/src/messages.ts`.

The types that the page uses are generated from the records that the server decodes and encodes, so that the two cannot
differ: where a field is renamed in a record, the TypeScript compiler reports an error in the page. The first line of a
record's docstring becomes the comment of its interface.
"""

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_type_hints

from msgspec.inspect import (
    AnyType,
    BoolType,
    DataclassType,
    DictType,
    EnumType,
    Field,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    TupleType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from foible.interfaces.web.cast import STEP
from foible.interfaces.web.messages import AnyQuestion
from foible.interfaces.web.protocol import PageQuestion
from foible.nets.choices import HIGHEST, LOWEST

HEAD = """// Made by `python -m foible.interfaces.web.typescript` from the records of the server: do not edit.
"""

Record = StructType | DataclassType

PLAIN: Mapping[type[Type], str] = {
    AnyType: "unknown",
    BoolType: "boolean",
    FloatType: "number",
    IntType: "number",
    NoneType: "null",
    StrType: "string",
}


def typescript(questions: Sequence[type[PageQuestion]]) -> str:
    """TypeScript with an interface for each record, the union `AnyQuestion`, and `Answers`, the type of reply to each
    question.
    """
    replies = {question: _replied(question) for question in questions}
    structs: dict[str, Record] = {}
    for kind in (*questions, *replies.values()):
        _collect(type_info(kind), structs)
    names = " | ".join(question.__name__ for question in questions)
    answers = "".join(f"  {_tag(question)}: {reply.__name__};\n" for question, reply in replies.items())
    return "\n".join([
        HEAD,
        *(_interface(found) for found in structs.values()),
        f"export type AnyQuestion = {names};\n",
        f"/** What is replied to a question of each kind. */\nexport interface Answers {{\n{answers}}}\n",
    ])  # fmt: skip


def _replied(question: type[PageQuestion]) -> type[Any]:
    hint = get_type_hints(question.answer)["return"]
    reply: type[Any] = get_args(hint)[0]
    return reply


def _tag(question: type[PageQuestion]) -> str:
    return str(question.__struct_config__.tag)


def _collect(kind: Type, found: dict[str, Record]) -> None:
    """Add all records that a type consists of to `found`, each before those that contain it."""
    for part in _parts(kind):
        _collect(part, found)
    match kind:
        case StructType(cls=cls) | DataclassType(cls=cls):
            if found.setdefault(cls.__name__, kind).cls is not cls:
                raise TypeError(f"two records are called {cls.__name__}")


def _parts(kind: Type) -> Iterator[Type]:
    match kind:
        case StructType(fields=fields) | DataclassType(fields=fields):
            yield from (field.type for field in fields)
        case Metadata(type=inner) | ListType(item_type=inner) | VarTupleType(item_type=inner):
            yield inner
        case DictType(value_type=inner):
            yield inner
        case TupleType(item_types=types):
            yield from types
        case UnionType(types=types):
            yield from types


def _interface(struct: Record) -> str:
    tag = (
        [f"  {struct.tag_field}: {_literal(struct.tag)};\n"]
        if isinstance(struct, StructType) and struct.tag_field
        else []
    )
    fields = "".join([*tag, *(_line(field) for field in struct.fields)])
    about = inspect.cleandoc(struct.cls.__doc__ or "").partition("\n")[0]
    return f"/** {about} */\nexport interface {struct.cls.__name__} {{\n{fields}}}\n"


def _line(field: Field) -> str:
    return f"  {field.encode_name}{'' if field.required else '?'}: {_type(field.type)};\n"


def _type(kind: Type) -> str:
    match kind:
        case Metadata(type=inner):
            text = _type(inner)
        case StructType(cls=cls) | DataclassType(cls=cls):
            text = cls.__name__
        case ListType(item_type=inner) | VarTupleType(item_type=inner):
            text = f"({_type(inner)})[]" if isinstance(inner, UnionType | LiteralType) else f"{_type(inner)}[]"
        case DictType(value_type=inner):
            text = f"Record<string, {_type(inner)}>"
        case TupleType(item_types=types):
            text = f"[{', '.join(map(_type, types))}]"
        case UnionType(types=types):
            text = " | ".join(_type(member) for member in types)
        case EnumType(cls=cls):
            text = " | ".join(_literal(member.value) for member in cls)
        case LiteralType(values=values):
            text = " | ".join(_literal(value) for value in values)
        case _ if type(kind) in PLAIN:
            text = PLAIN[type(kind)]
        case _:
            raise TypeError(f"{kind}: not a type of messages")
    return text


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def messages() -> str:
    """The content of web/src/messages.ts: all messages of the server, and the ratings that there are players for."""
    ratings = f"{{ lowest: {LOWEST}, highest: {HIGHEST}, step: {STEP} }}"
    constants = f"/** For which there are players and models. */\nexport const RATINGS = {ratings};\n"
    return f"{typescript(get_args(AnyQuestion))}\n{constants}"


if __name__ == "__main__":
    sys.stdout.write(messages())
