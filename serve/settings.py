"""What a person may set about serving; `roteiro.config` composes it with the settings of the other packages."""

from typing import Literal

from msgspec import Struct

__all__ = ["AskSettings", "EngineSettings", "ServeSettings", "UpstreamSettings"]


class UpstreamSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[serve.upstream]]`: an OpenAI-compatible server that answers instead of a local model."""

    name: str = "upstream"
    base_url: str
    """Up to and without `/chat/completions`, such as `http://127.0.0.1:8000/v1`."""
    model: str = ""
    """The model to ask for; empty takes the first one that the upstream lists."""
    api_key_env: str = ""
    """The name of the environment variable that holds the key, never the key."""
    context: int = 0
    """The window in tokens; 0 when unknown."""
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 3600.0


class EngineSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a local model is run."""

    threads: int = 0
    """0 means the physical cores."""
    gpu_layers: int = 0
    max_context_tokens: int = 0
    """0 means as many as the model was trained for and `kv_mb` holds."""
    kv_mb: int = 0
    """Memory for the context; 0 means a quarter of the machine's."""
    start_timeout_s: float = 300.0


class AskSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[ask]` table. Numbers may be narrowed by a repository's own `roteiro.toml`, never widened."""

    prime: bool = True
    """Put evidence before the first generation."""
    rounds: int = 4
    evidence_tokens: int = 500
    """About 12 s of prefill for the default model on two cores."""
    evidence_items: int = 3
    tool_bytes: int = 8_000
    max_tokens: int = 400
    min_score: float = 0.0
    """Retrieval scores below this refuse; 0 means the calibrated value."""


class ServeSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[serve]` table."""

    addr: str = "127.0.0.1:8017"
    model: str = ""
    """An installed model's id or the path of a GGUF file; empty takes the default one."""
    queue: int = 16
    max_body_bytes: int = 16 * 1024 * 1024
    max_header_bytes: int = 32 * 1024
    max_tools: int = 128
    max_tools_bytes: int = 128 * 1024
    tool_prompt_tokens: int = 2_048
    tool_prompt_tokens_hard: int = 8_192
    reasoning: Literal["strip", "expose"] = "strip"
    reasoning_effort: str = ""
    queue_events: bool = False
    allowed_hosts: tuple[str, ...] = ()
    """Further values of the Host header to accept, for a reverse proxy on this machine."""
    aliases: dict[str, str] = {}
    """Further model names that clients may use, each with the model that answers."""
    upstream: tuple[UpstreamSettings, ...] = ()
    engine: EngineSettings = EngineSettings()
