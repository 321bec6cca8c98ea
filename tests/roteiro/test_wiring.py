"""What the flags of a command set."""

from __future__ import annotations

from roteiro.config import load_config
from roteiro.wiring import model_flags


def test_the_model_beside_an_upstream_is_the_upstreams():
    """No local model is loaded for it, also where the user's file names one."""
    config = load_config(None, model_flags("gpt-oss", "http://127.0.0.1:9/v1"), {"ROTEIRO_SERVE_MODEL": "tiny"})
    assert config.serve.model == ""
    assert [(upstream.base_url, upstream.model) for upstream in config.serve.upstream] == [
        ("http://127.0.0.1:9/v1", "gpt-oss")
    ]


def test_a_model_alone_is_a_local_one():
    """And an upstream alone takes the first that it lists."""
    assert load_config(None, model_flags("tiny", None), {}).serve.model == "tiny"
    assert load_config(None, model_flags(None, "http://127.0.0.1:9/v1"), {}).serve.upstream[0].model == ""
