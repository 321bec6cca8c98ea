"""Generic types: what type variables stand for, told by type arguments, by arguments of a call, by base classes."""

import pytest

HEAD = """
from __future__ import annotations
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Dict, Generic, List, Protocol, Self, Type, TypeVar

class User:
    def go(self): pass

class Pet:
    def go(self): pass

class Admin(User):
    def go(self): pass

T = TypeVar("T")
K = TypeVar("K")
B = TypeVar("B", bound=User)

class Repo(Generic[T]):
    item: T

    def __init__(self, model: Type[T]) -> None:
        self.model = model
        self.items: List[T] = []

    def get(self) -> T: ...
    def every(self) -> Iterator[T]: ...
    def maybe(self) -> T | None: ...
    def wrap(self) -> Repo[T]: ...
    def me(self) -> Self: ...
    def named(self) -> dict[str, T]: ...
    @property
    def first(self) -> T: ...
    def __getitem__(self, key: int) -> T: ...
    def __iter__(self) -> Iterator[T]: ...
    def __enter__(self) -> T: ...

class Users(Repo[User]):
    def run(self):
        self.get().go()

class Admins(Users):
    pass

class Pair(Generic[K, T]):
    left: K
    right: T

class Swapped(Pair[T, K]):
    pass

@dataclass
class Box(Generic[T]):
    thing: T

class Modern[V]:
    def get(self) -> V: ...

class Limited[V: User]:
    def run(self, value: V):
        value.go()

class Table(Dict[str, User]):
    pass

class Row(List[Pet]):
    pass

class Field(Generic[T]):
    def __init__(self, kind: type[T]) -> None: ...
    def __get__(self, owner, kind=None) -> T: ...

class Form:
    pet = Field(Pet)
    user: Field[User] = Field()

def first(items: Iterable[T]) -> T: ...
def make(kind: type[T]) -> T: ...
def same(thing: T) -> T: ...
def apply(function: Callable[..., T]) -> T: ...
def values(table: dict[K, T]) -> list[T]: ...
def modern[V](items: list[V]) -> V: ...
def bounded(kind: type[B]) -> B: ...
def unwrap(repo: Repo[T]) -> T: ...
def pet() -> Pet: ...
async def later(thing: Awaitable[T]) -> T: ...


async def run(repo: Repo[User], users: list[User], by_name: dict[str, User], pets: Iterable[Pet], pair: Pair[User, Pet],
        swapped: Swapped[User, Pet], nested: Repo[list[User]], table: Table, row: Row, form: Form, modern_: Modern[Pet],
        stream: AsyncIterator[Pet], bare: Repo, kind: type[B]):
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("repo.get().go()", "User"),
        ("repo.maybe().go()", "User"),
        ("repo.item.go()", "User"),
        ("repo.first.go()", "User"),
        ("repo[0].go()", "User"),
        ("repo.items[0].go()", "User"),
        ("repo.wrap().wrap().get().go()", "User"),
        ("repo.me().get().go()", "User"),
        ("repo.named()['a'].go()", "User"),
        ("for x in repo:\n    x.go()", "User"),
        ("for x in repo.every():\n    x.go()", "User"),
        ("with repo as x:\n    x.go()", "User"),
        ("for x in nested.get():\n    x.go()", "User"),
        ("Repo[User](User).get().go()", "User"),
        ("Repo(Pet).get().go()", "Pet"),
        ("Repo(Pet).model().go()", "Pet"),
        ("Users().get().go()", "User"),
        ("Admins().get().go()", "User"),
        ("Admins().me().get().go()", "User"),
        ("pair.left.go()", "User"),
        ("pair.right.go()", "Pet"),
        ("swapped.left.go()", "User"),
        ("swapped.right.go()", "Pet"),
        ("Box(Pet()).thing.go()", "Pet"),
        ("Box(thing=Pet()).thing.go()", "Pet"),
        ("modern_.get().go()", "Pet"),
        ("first(users).go()", "User"),
        ("first(pets).go()", "Pet"),
        ("first(repo).go()", "User"),
        ("first([Pet()]).go()", "Pet"),
        ("make(Pet).go()", "Pet"),
        ("same(Pet()).go()", "Pet"),
        ("apply(pet).go()", "Pet"),
        ("apply(Pet).go()", "Pet"),
        ("values(by_name)[0].go()", "User"),
        ("modern([Pet()]).go()", "Pet"),
        ("bounded(Admin).go()", "Admin"),
        ("kind().go()", "User"),
        ("unwrap(repo).go()", "User"),
        ("unwrap(Users()).go()", "User"),
        ("(await later(Pet())).go()", "Pet"),
        ("by_name.get('a').go()", "User"),
        ("for key, x in by_name.items():\n    x.go()", "User"),
        ("for x in by_name.values():\n    x.go()", "User"),
        ("table['a'].go()", "User"),
        ("table.get('a').go()", "User"),
        ("for x in table.values():\n    x.go()", "User"),
        ("for x in row:\n    x.go()", "Pet"),
        ("row.pop().go()", "Pet"),
        ("async for x in stream:\n    x.go()", "Pet"),
        ("form.pet.go()", "Pet"),
        ("form.user.go()", "User"),
        ("max(users, key=len).go()", "User"),
    ],
)
def test_a_type_argument_decides_whose_method_is_called(graph, body, wanted):
    """The variable stands for what the receiver or the call says, and for nothing else."""
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    called = {name for name in graph({"m.py": HEAD + indented}).callees("m.py#run") if name.endswith(".go")}
    assert called == {f"m.py#{wanted}.go"}


def test_a_variable_that_nothing_tells_stands_for_its_bound(graph):
    """Without a bound it is nothing; no class of the file is guessed."""
    found = graph({"m.py": HEAD + "    bare.get().go()\n"})
    assert not {name for name in found.callees("m.py#run") if name.endswith(".go")}
    assert found.callees("m.py#Limited.run") == {"m.py#User.go"}
    assert found.callees("m.py#Users.run") == {"m.py#Repo.get", "m.py#User.go"}


def test_type_arguments_are_read_across_files(graph):
    """Variable, generic class, its subclass and the caller may each stand in a file of their own."""
    files = {
        "app/types.py": "from typing import TypeVar\nModel = TypeVar('Model')\n",
        "app/repo.py": (
            "from typing import Generic\nfrom .types import Model\n\n"
            "class Repo(Generic[Model]):\n    def get(self) -> Model: ...\n"
        ),
        "app/users.py": (
            "from .repo import Repo\n\nclass User:\n    def go(self): pass\n\nclass Users(Repo['User']):\n    pass\n"
        ),
        "app/__init__.py": "",
        "main.py": "from app.users import Users\n\ndef run(users: Users):\n    users.get().go()\n",
    }
    assert graph(files).callees("main.py#run") == {"app/repo.py#Repo.get", "app/users.py#User.go"}


def test_a_class_that_applies_itself_is_read_in_bounded_time(graph):
    """Recursive bases and arguments end somewhere."""
    text = (
        "from typing import Generic, TypeVar\nT = TypeVar('T')\n"
        "class A(Generic[T]):\n    def deeper(self) -> 'A[A[T]]': ...\n"
        "class B(A['B']):\n    pass\nclass C(C[T], A[C[T]]):\n    pass\n"
        "def run(b: B, c: C[C[B]]):\n    " + "b" + ".deeper()" * 12 + "\n    c.deeper().deeper()\n"
    )
    assert "m.py#A.deeper" in graph({"m.py": text}).callees("m.py#run")
