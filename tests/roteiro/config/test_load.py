"""Which value of a setting wins, where it came from, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from roteiro.config import Flag, load_config
from roteiro.config.keys import all_keys
from roteiro.errors import ConfigError


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    """Return the path of the user's file, which does not exist yet."""
    return tmp_path / "user" / "config.toml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return an empty repository folder."""
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_without_any_file_every_value_is_its_default(root, user_file):
    """Nothing set means the defaults of the structs, and each says so."""
    config = load_config(root, environ={}, user_file=user_file)
    assert config.serve.addr == "127.0.0.1:8017"
    assert config.serve.aliases == {}
    assert {value.origin for value in config.values} == {"default"}
    assert [value.key for value in config.values] == list(all_keys())


def test_later_sources_win_and_every_value_knows_where_it_came_from(root, user_file):
    """File, then environment, then flag."""
    write(user_file, '[serve]\naddr = "127.0.0.1:1"\nqueue = 4\nmodel = "a"\n[serve.engine]\nthreads = 3\n')
    config = load_config(
        root,
        [Flag("serve.model", "c", "--model")],
        {"ROTEIRO_SERVE_MODEL": "b", "ROTEIRO_SERVE_QUEUE": "7"},
        user_file,
    )
    assert (config.serve.addr, config.serve.queue, config.serve.model) == ("127.0.0.1:1", 7, "c")
    assert config.serve.engine.threads == 3
    assert config.origin_of("serve.addr") == str(user_file)
    assert config.origin_of("serve.queue") == "environment ROTEIRO_SERVE_QUEUE"
    assert config.origin_of("serve.model") == "flag --model"
    assert config.origin_of("ask.rounds") == "default"


def test_the_environment_writes_lists_pairs_and_upstreams_as_plain_text(root, user_file):
    """Lists by commas, aliases as pairs, an upstream as its address."""
    config = load_config(
        root,
        environ={
            "ROTEIRO_INDEX_EXCLUDE": "vendor/, *.gen.py",
            "ROTEIRO_SERVE_ALIASES": "gpt-4o=qwen2.5-coder-1.5b",
            "ROTEIRO_SERVE_UPSTREAM": "http://127.0.0.1:9/v1",
            "ROTEIRO_ASK_PRIME": "false",
            "ROTEIRO_SERVE_ENGINE_GPU_LAYERS": "-1",
        },
        user_file=user_file,
    )
    assert config.index.exclude == ("vendor/", "*.gen.py")
    assert config.serve.aliases == {"gpt-4o": "qwen2.5-coder-1.5b"}
    assert config.serve.upstream[0].base_url == "http://127.0.0.1:9/v1"
    assert config.ask.prime is False
    assert config.serve.engine.gpu_layers == -1


def test_upstreams_of_the_user_file_are_tables(root, user_file):
    """`[[serve.upstream]]` is read whole."""
    write(user_file, '[[serve.upstream]]\nname = "box"\nbase_url = "http://box:8000/v1"\napi_key_env = "BOX_KEY"\n')
    upstream = load_config(root, environ={}, user_file=user_file).serve.upstream
    assert (upstream[0].name, upstream[0].api_key_env) == ("box", "BOX_KEY")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[serve]\nadr = "x"\n', "serve.adr is not a setting. Nearest: serve.addr."),
        ("[sevre]\nqueue = 1\n", "sevre is not a setting. Nearest: the table [serve]."),
        ('[serve]\nqueue = "many"\n', "serve.queue = 'many': expected int, got str."),
        ("[index]\nmax_files = -1\n", "must not be negative"),
        ("[serve\n", "is not TOML"),
        ('[[serve.upstream]]\nname = "x"\n', "missing required field base_url"),
        ('[[serve.upstream]]\nbase_url = "x"\napi_key = "secret"\n', "unknown field api_key"),
        ('addr = "127.0.0.1:1"\n', "addr is not a setting. Nearest: serve.addr."),
    ],
)
def test_a_mistake_in_the_user_file_names_the_file_and_the_cure(root, user_file, text, said):
    """Each message begins with where it was found."""
    write(user_file, text)
    with pytest.raises(ConfigError) as caught:
        load_config(root, environ={}, user_file=user_file)
    assert str(caught.value).startswith(f"{user_file}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ROTEIRO_SERVE_QUEUE", "many", "serve.queue = 'many'"),
        ("ROTEIRO_SERVE_ADRR", "x", "Nearest: serve.addr."),
        ("ROTEIRO_SERV_ADDR", "x", "Nearest: serve.addr."),
        ("ROTEIRO_ASK_ROUNDS", "-3", "must not be negative"),
        ("ROTEIRO_SERVE_ADDR", "localhost", "is not HOST:PORT"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(root, user_file, variable, value, said):
    """A variable that begins like a table but sets nothing is refused, not ignored."""
    with pytest.raises(ConfigError, match=variable) as caught:
        load_config(root, environ={variable: value}, user_file=user_file)
    assert said in str(caught.value)


def test_other_variables_of_that_prefix_are_none_of_its_business(root, user_file):
    """What names no table (a test's own switch) is left alone."""
    load_config(root, environ={"ROTEIRO_REQUIRE": "native", "ROTEIRO_CONFIG": "x"}, user_file=user_file)


def test_a_user_file_that_is_not_utf8_is_refused_by_name(root, user_file):
    """The byte is named."""
    user_file.parent.mkdir()
    user_file.write_bytes(b"[serve]\n# \xff\n")
    with pytest.raises(ConfigError, match=r"is not UTF-8 \(byte 10\)"):
        load_config(root, environ={}, user_file=user_file)
