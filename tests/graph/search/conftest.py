"""A small repository, really indexed, that search is tried on: names in three spellings, docs, tests, a changelog."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from graph.repository import Repository
from graph.search import embedding

FILES = {
    "src/app/sessions.py": '''\
"""Cookie sessions."""


class CookieSession:
    """A session kept in a signed cookie."""

    salt = "cookie-session"

    def get_signing_serializer(self, app):
        """Return the serializer that signs the session cookie with the secret key."""
        return URLSafeTimedSerializer(app.secret_key, salt=self.salt)

    def open_session(self, app, request):
        """Load the session from the cookie of a request."""
        return self.get_signing_serializer(app).loads(request.cookies["session"])


def check(value):
    """Check a value."""
    return bool(value)
''',
    "src/app/redirects.py": '''\
def strip_auth(old_url, new_url):
    """Drop the Authorization header when a redirect leads to another host."""
    return host_of(old_url) != host_of(new_url)


def host_of(url):
    return url.split("/")[2]


def read_config(path):
    """Read the configuration file."""
    return open(path).read()


def login_required(view):
    return view
''',
    "src/app/http_client.ts": """\
/** Sends requests over a pool of connections. */
export class HttpClient {
  getUserAgent(): string {
    return "app/1.0";
  }
}
""",
    "tests/test_sessions.py": '''\
def test_session_cookie_is_signed_with_the_secret_key():
    """The session cookie is signed with the secret key."""
    assert sign("session cookie", "secret key")
''',
    "CHANGES.md": "# Changes\n\n## Session cookie signed\n\nThe session cookie is signed with the secret key.\n",
    "docs/guide.md": "# Guide\n\n## Redirects\n\nA redirect to another host drops the Authorization header.\n",
}


@pytest.fixture(scope="session", autouse=True)
def words_only() -> Iterator[None]:
    """Search by words alone, whatever is installed here: rankings must not depend on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "_installed", lambda: None)
        embedding.embedder.cache_clear()
        yield
    embedding.embedder.cache_clear()


MakeRepository = Callable[[Mapping[str, str]], Repository]


@pytest.fixture(scope="module")
def make_repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeRepository]:
    """Return a function that writes files and indexes them."""
    opened: list[Repository] = []

    def make(files: Mapping[str, str]) -> Repository:
        root = tmp_path_factory.mktemp("repository")
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        repository = Repository.open(root)
        opened.append(repository)
        repository.sync()
        return repository

    yield make
    for repository in opened:
        repository.close()


@pytest.fixture(scope="module")
def repository(make_repository: MakeRepository) -> Repository:
    """Return the small repository, indexed once a module."""
    return make_repository(FILES)


@pytest.fixture(scope="module")
def files() -> Mapping[str, str]:
    """Return the files of the small repository."""
    return FILES
