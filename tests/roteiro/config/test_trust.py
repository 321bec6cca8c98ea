"""What the analysed repository may say about itself: less, never more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roteiro.config import load_config
from roteiro.config.keys import all_keys
from roteiro.config.sources import Setting
from roteiro.config.trust import limited
from roteiro.errors import ConfigError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return an empty repository folder."""
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def load(root: Path, repository: str, user: str = "", environ=None):
    (root / "roteiro.toml").write_text(repository)
    user_file = root.parent / "config.toml"
    user_file.write_text(user)
    return load_config(root, environ=environ or {}, user_file=user_file)


def test_a_repository_may_exclude_more_and_narrow_numbers(root):
    """Excludes are added to the user's, numbers replaced by smaller ones."""
    config = load(
        root,
        '[index]\nexclude = ["vendor/"]\nmax_file_bytes = 1000\nworkers = 1\n[ask]\nrounds = 2\n',
        '[index]\nexclude = ["*.min.js"]\n',
    )
    assert config.index.exclude == ("*.min.js", "vendor/")
    assert (config.index.max_file_bytes, config.index.workers, config.ask.rounds) == (1000, 1, 2)
    assert config.origin_of("index.max_file_bytes") == str(root / "roteiro.toml")


@pytest.mark.parametrize(
    "text",
    [
        '[[serve.upstream]]\nbase_url = "http://evil.example/v1"\n',
        '[serve]\naddr = "0.0.0.0:80"\n',
        '[serve]\nmodel = "/tmp/evil.gguf"\n',
        '[serve]\nallowed_hosts = ["evil.example"]\n',
        "[serve.engine]\nthreads = 1\n",
        '[models]\nmirror = "http://evil.example"\n',
        "[logs]\nprompts = true\n",
        '[mcp]\ntools = ["search"]\n',
        "[ask]\nprime = false\n",
    ],
)
def test_everything_else_in_a_repository_file_is_an_error_that_says_so(root, text):
    """Ignoring it in silence would leave its author believing that it works."""
    with pytest.raises(ConfigError, match=r"cannot be set by a repository, only index\.exclude and the numbers"):
        load(root, text)


@pytest.mark.parametrize(
    "text",
    [
        "[index]\nmax_file_bytes = 999999999\n",
        "[index]\nmax_files = 999999999\n",
        "[ask]\nrounds = 500\n",
        "[ask]\ntool_bytes = 100000000\n",
    ],
)
def test_a_number_wider_than_the_default_is_an_error(root, text):
    """It names both numbers."""
    with pytest.raises(ConfigError, match=r"is wider than .* \(default\)"):
        load(root, text)


def test_a_user_stricter_than_the_repository_expects_stays_in_force(root):
    """The repository's value lies within the default, so nobody is at fault; the smaller one holds."""
    config = load(root, "[index]\nmax_file_bytes = 1000000\n", "[index]\nmax_file_bytes = 500\n")
    assert config.index.max_file_bytes == 500


def test_zero_workers_means_all_cores_and_is_therefore_wider_than_two(root):
    """The user's two stay."""
    assert load(root, "[index]\nworkers = 0\n", "[index]\nworkers = 2\n").index.workers == 2


def test_the_environment_and_flags_are_the_persons_own_and_may_widen_again(root):
    """They come after the repository's file."""
    config = load(root, "[ask]\nrounds = 1\n", environ={"ROTEIRO_ASK_ROUNDS": "9"})
    assert config.ask.rounds == 9


def test_a_link_in_place_of_the_file_is_not_followed(root, tmp_path):
    """An error about the content of any file of the user would otherwise show that file."""
    secret = tmp_path / "secret"
    secret.write_text("password = hunter2\n")
    (root / "roteiro.toml").symlink_to(secret)
    with pytest.raises(ConfigError, match="a link is not followed") as caught:
        load_config(root, environ={}, user_file=tmp_path / "none")
    assert "hunter2" not in str(caught.value)


def test_a_pipe_or_a_folder_in_place_of_the_file_does_not_hang(root, tmp_path):
    """Opening is non-blocking and only a regular file is read."""
    import os

    os.mkfifo(root / "roteiro.toml")
    with pytest.raises(ConfigError, match="not a regular file"):
        load_config(root, environ={}, user_file=tmp_path / "none")


@pytest.mark.parametrize("text", ["a = " + "[" * 30_000, "#" * 100_000])
def test_a_file_made_to_exhaust_the_reader_is_refused(root, tmp_path, text):
    """Too large or too deep: one sentence, no traceback."""
    (root / "roteiro.toml").write_text(text)
    with pytest.raises(ConfigError):
        load_config(root, environ={}, user_file=tmp_path / "none")


NUMBERS = [name for name, key in all_keys().items() if name.startswith(("index.", "ask.")) and key.type in {int, float}]


@given(name=st.sampled_from(NUMBERS), wanted=st.integers(0, 10**9), current=st.integers(0, 10**9))
def test_no_number_of_a_repository_is_ever_wider_than_what_holds(name, wanted, current):
    """Whatever both say, the result is one of the two and never the wider one."""
    try:
        kept = limited(Setting(name, wanted, "repository"), Setting(name, current, "user")).value
    except ConfigError:
        return
    if name == "ask.min_score":
        assert kept >= current
    elif name == "index.workers":
        assert current in {0, kept} or 0 < kept <= current
    else:
        assert kept <= current
