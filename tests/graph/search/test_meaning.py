"""Search by meaning, with word vectors of our own: what it adds, and that it may come and go."""

from __future__ import annotations

import pytest

from graph.repository import Repository
from graph.search import embedding, vectors
from graph.search.meaning import meaning_note
from graph.search.passages import passage_likeness
from graph.search.search import search
from graph.store import snapshot

np = pytest.importorskip("numpy", reason="needs the extra `semantic`")
safetensors = pytest.importorskip("safetensors.numpy", reason="needs the extra `semantic`")
tokenizers = pytest.importorskip("tokenizers", reason="needs the extra `semantic`")

SAME = (("authenticate", "login", "credentials"), ("remove", "delete", "erase"), ("money", "price", "cost"))
"""Words that mean the same in the vectors of these tests, and in no other way."""
OTHERS = ("user", "account", "basket", "total", "password", "check", "how", "name", "path", "file")

FILES = {
    "accounts.py": '''\
def authenticate(user):
    """Check who it is."""
    return authenticate(user)


def erase(account):
    account.clear()
''',
    "basket.py": """\
def total(basket):
    return sum(basket)
""",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a tiny package of vectors; give the function that takes it away and brings it back."""
    words = [word for group in SAME for word in group]
    vocabulary = {word: index for index, word in enumerate(("<unk>", *words, *OTHERS))}
    rows = np.zeros((len(vocabulary), embedding.DIMENSIONS), dtype=np.float16)
    for number, group in enumerate(SAME):
        for word in group:
            rows[vocabulary[word], number] = 1
    for number, word in enumerate(OTHERS, len(SAME)):
        rows[vocabulary[word], number] = 1
    safetensors.save_file({"embedding.weight": rows}, tmp_path / "weights.safetensors")
    model = tokenizers.models.WordLevel(vocabulary, unk_token="<unk>")
    tokenizers.Tokenizer(model).save(str(tmp_path / "tokenizer.json"))
    files = embedding._Files(tmp_path / "weights.safetensors", tmp_path / "tokenizer.json", "1")

    def install(*, there: bool) -> None:
        monkeypatch.setattr(embedding, "_installed", lambda: files if there else None)
        embedding.embedder.cache_clear()

    install(there=True)
    yield install
    embedding.embedder.cache_clear()


@pytest.fixture
def shop(tmp_path):
    """Return a repository of two files, not yet indexed."""
    root = tmp_path / "shop"
    root.mkdir()
    for path, text in FILES.items():
        (root / path).write_text(text)
    with Repository.open(root) as opened:
        yield opened


def names(repository, query):
    return [hit.name for hit in search(repository.store, query).hits]


def rows(repository):
    return repository.store.read().execute("SELECT count(*) FROM search_vector").fetchone()[0]


def test_a_question_in_other_words_finds_what_does_it(package, shop):
    """Not one word of these stands in the files."""
    shop.sync()
    assert names(shop, "login credentials")[0] == "authenticate"
    assert names(shop, "delete remove")[0] == "erase"
    hit = search(shop.store, "login credentials").hits[0]
    assert "meaning" in hit.why
    assert hit.word_score < hit.score


def test_what_is_far_is_not_found(package, shop):
    """The nearest of all is not near when nothing is."""
    shop.sync()
    assert names(shop, "money") == []
    assert search(shop.store, "money").note


def test_filters_hold_for_what_is_near(package, shop):
    """There is one way to narrow a search, for both kinds."""
    shop.sync()
    assert names(shop, "login credentials path:basket.py") == []
    assert names(shop, "login credentials kind:function") == ["authenticate"]
    assert names(shop, '"login credentials"') == []


def test_vectors_come_with_the_first_sync_after_the_package(package, shop):
    """And no file is read again for them."""
    package(there=False)
    shop.sync()
    assert rows(shop) == 0
    assert names(shop, "login credentials") == []
    package(there=True)
    report = shop.sync()
    assert (report.changed, rows(shop)) == (0, len(FILES))
    assert names(shop, "login credentials")[0] == "authenticate"


def test_search_goes_on_when_the_package_is_gone(package, shop):
    """What was stored is left alone; a changed file loses its vectors until the package is back."""
    shop.sync()
    package(there=False)
    assert names(shop, "login credentials") == []
    assert names(shop, "check")[0] == "authenticate"
    (shop.root / "basket.py").write_text("def price(basket):\n    return 0\n")
    shop.sync()
    assert rows(shop) == len(FILES) - 1
    assert shop.verify(deep=True) == []
    package(there=True)
    shop.sync()
    assert names(shop, "cost money")[0] == "price"


def test_vectors_of_another_recipe_are_made_anew(package, shop, monkeypatch):
    """They could not be compared."""
    shop.sync()
    monkeypatch.setattr(embedding, "_RECIPE", embedding._RECIPE + 1)
    embedding.embedder.cache_clear()
    assert names(shop, "login credentials") == []
    shop.sync()
    assert names(shop, "login credentials")[0] == "authenticate"


def test_an_incremental_index_equals_a_cold_one_with_vectors_too(package, shop, tmp_path):
    """Edit, add, delete; then compare every row."""
    shop.sync()
    (shop.root / "basket.py").write_text("def cost(basket):\n    return 0\n\n\ndef total(basket):\n    return 1\n")
    (shop.root / "login.py").write_text("def login(user):\n    return user\n")
    (shop.root / "accounts.py").unlink()
    shop.sync()
    with Repository.open(shop.root, cache_home=tmp_path / "cold") as cold:
        kept = snapshot(shop.store)
        assert cold.sync(rebuild=True).indexed == 2
        assert snapshot(cold.store) == kept
        assert any(row[0] == "search_vector" for row in kept)


def test_a_running_reader_sees_new_vectors(package, shop):
    """The copy in memory is read again when the table has changed."""
    shop.sync()
    assert names(shop, "cost money") == []
    (shop.root / "basket.py").write_text("def price(basket):\n    return sum(basket)\n")
    shop.sync()
    assert names(shop, "cost money")[0] == "price"


def test_the_note_says_what_to_do(package, shop):
    """Install, then sync, then nothing more."""
    package(there=False)
    shop.sync()
    said = [meaning_note(shop.store.read(), shop.store.project_id)]
    package(there=True)
    said.append(meaning_note(shop.store.read(), shop.store.project_id))
    shop.sync()
    said.append(meaning_note(shop.store.read(), shop.store.project_id))
    assert "Install `roteiro[semantic]`" in said[0]
    assert "run `roteiro sync`" in said[1]
    assert said[2] == ""


def test_the_nearest_are_ordered_by_cosine_and_then_by_id():
    """Ties never flicker, also at the border of the list."""
    near = vectors.Likeness(np.array([3, 5, 8, 9]), np.array([0.5, 0.9, 0.5, 0.1], dtype=np.float32))
    assert near.nearest(2, 0.2) == [5, 3]
    assert near.nearest(9, 0.2) == [5, 3, 8]
    assert near.of([8, 4]) == {8: 0.5}


def test_the_nearest_lines_of_a_hit_count_by_themselves(package, shop):
    """A long function is near to a question by one of its parts; without the package nothing is said."""
    shop.sync()
    hits = search(shop.store, "check basket total").hits
    near = passage_likeness(shop.store, hits, "login credentials")
    assert near["sym:python:accounts.py#authenticate"] > near["sym:python:basket.py#total"]
    package(there=False)
    assert passage_likeness(shop.store, hits, "login credentials") == {}
