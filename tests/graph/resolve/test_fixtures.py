"""Fixtures of pytest: the parameter of a test is what the fixture of its name gives."""

APP = """
class App:
    def client(self) -> "Client":
        return Client()

class Client:
    def get(self): pass
"""
CONFTEST = """
import pytest
from app import App

@pytest.fixture
def app():
    yield App()

@pytest.fixture()
def client(app):
    return app.client()
"""


def test_a_test_calls_what_its_fixture_gives(graph):
    """Through `conftest.py`, a fixture of a fixture, and one that yields."""
    files = {
        "app.py": APP,
        "tests/conftest.py": CONFTEST,
        "tests/unit/test_app.py": "def test_get(client, app):\n    client.get()\n    app.client()\n",
    }
    assert graph(files).callees("tests/unit/test_app.py#test_get") == {"app.py#Client.get", "app.py#App.client"}


def test_the_nearest_fixture_wins(graph):
    """A file may replace what `conftest.py` offers."""
    own = (
        "import pytest\n\nclass Fake:\n    def get(self): pass\n\n@pytest.fixture\ndef client():\n    return Fake()\n\n"
    )
    files = {
        "app.py": APP,
        "conftest.py": CONFTEST,
        "test_app.py": f"{own}def test_get(client):\n    client.get()\n",
    }
    assert graph(files).callees("test_app.py#test_get") == {"test_app.py#Fake.get"}


def test_a_function_that_is_no_test_gets_nothing(graph):
    """A plain parameter of the same name is unknown."""
    files = {"app.py": APP, "conftest.py": CONFTEST, "helper.py": "def get(client):\n    client.get()\n"}
    assert graph(files).callees("helper.py#get") == set()


def test_a_missing_conftest_is_listened_for(graph):
    """The result changes once one appears."""
    depends = (
        graph({"tests/test_app.py": "def test_get(client):\n    client.get()\n"})
        .resolved["tests/test_app.py"]
        .depends_on
    )
    assert {"tests/conftest.py", "conftest.py"} <= set(depends)
