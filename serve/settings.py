"""What a person may set about serving; `roteiro.config` composes it with the settings of the other packages."""

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = ["AskSettings", "EngineSettings", "KvType", "ServeSettings", "UpstreamSettings"]

KvType: TypeAlias = Literal["f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"]
"""How numbers of a context are kept, by llama.cpp's names."""


class UpstreamSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[serve.upstream]]`: an OpenAI-compatible server that answers instead of a local model."""

    name: str = "upstream"
    """What it is called in messages."""
    base_url: str
    """Up to and without `/chat/completions`, such as `http://127.0.0.1:8000/v1`."""
    model: str = ""
    """The model to ask for; empty takes the first one that the upstream lists."""
    api_key_env: str = ""
    """The name of the environment variable that holds the key, never the key."""
    context: int = 0
    """The window in tokens; 0 when unknown."""
    slots: int = 4
    """Requests sent to it at a time; the next wait here, where they are told their place."""
    connect_timeout_s: float = 10.0
    """How long to wait for a connection."""
    read_timeout_s: float = 3600.0
    """How long to wait between two pieces of an answer: a large prompt is read in silence."""


class EngineSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a local model is run."""

    threads: int = 0
    """Cores to compute on; 0 means the physical ones."""
    gpu_layers: int = 0
    """Layers of the model to keep on a GPU; -1 means all. Needs an engine that was built for one."""
    wait_policy: Literal["passive", "active"] = "passive"
    """How threads wait for each other: `active` spins, a little faster on a machine with nothing else to do and several
    times slower on one with anything else. `OMP_WAIT_POLICY` in the environment comes first."""
    key_type: KvType = "f16"
    """How the context keeps keys: `q8_0` takes about half the memory of `f16` and costs a little exactness."""
    value_type: KvType = "f16"
    """The same for values; the types that begin with `q` or `iq` need `flash_attention`."""
    flash_attention: bool = False
    """Compute attention in one pass: less memory for long windows, seldom faster on a processor."""
    max_context_tokens: int = 0
    """The window; 0 means as many tokens as the model was trained for and `kv_mb` holds."""
    kv_mb: int = 0
    """Memory for the context; 0 means a quarter of the machine's."""
    start_timeout_s: float = 300.0
    """How long loading a model may take; a slow disk needs a minute for the largest."""
    memory_mb: int = 0
    """Memory for the files of several models at a time; 0 holds one, and another one that is asked for replaces it."""
    idle_unload_minutes: float = 30.0
    """Without a request for so long the model's memory is freed, and the next request loads it; 0 keeps it."""
    slots: int = 0
    """Answers at the same time; 0 means one up to four cores and two beyond. Each has a window of its own."""
    scheduling: Literal["exact", "batched"] = "exact"
    """`exact`: an answer does not depend on its neighbours. `batched`: faster with several, and not reproducible."""
    cache_mode: Literal["auto", "strict", "fast"] = "auto"
    """`strict`: a cached prefix changes no bit of an answer. `fast`: generated tokens are used again too, but for a
    request with a seed. `auto` is fast for models of attention alone; recurrent and hybrid ones are always strict."""
    prefix_cache_mb: int = 512
    """Memory for the states of prefixes; 0 keeps none."""
    prefix_cache_disk_mb: int = 1_024
    """The same on the disk, for the first request after a restart; 0 keeps none."""


class AskSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[ask]` table. Numbers may be narrowed by a repository's own `roteiro.toml`, never widened."""

    prime: bool = True
    """Put evidence before the first generation."""
    rounds: int = 4
    """Generations for one question; in the last one no tool may be called."""
    evidence_tokens: int = 500
    """Tokens of that evidence: about 12 s of prefill for the default model on two cores."""
    evidence_items: int = 3
    """Symbols or sections in that evidence."""
    tool_bytes: int = 8_000
    """The most bytes that the result of one tool call may have."""
    max_tokens: int = 400
    """The longest answer, where a client names no length."""
    min_score: float = 0.0
    """Retrieval scores below this refuse; 0 means the calibrated value."""


class ServeSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[serve]` table."""

    addr: str = "127.0.0.1:8017"
    """HOST:PORT to serve on; the host must be this machine's own loopback address."""
    model: str = ""
    """An installed model's id or the path of a GGUF file; empty takes the default one."""
    queue: int = 16
    """Requests that may wait for one engine; the next is refused with Retry-After."""
    max_body_bytes: int = 16 * 1024 * 1024
    """The largest body of a request."""
    max_header_bytes: int = 32 * 1024
    """All header lines of a request together."""
    max_tools: int = 128
    """The most tools that a request may bring."""
    max_tools_bytes: int = 128 * 1024
    """The most bytes that the tools of a request may have."""
    tool_prompt_tokens: int = 2_048
    """Tokens that the description of a client's tools may take; past it they are shortened to signatures."""
    tool_prompt_tokens_hard: int = 8_192
    """Tools whose signatures take more tokens than this are refused."""
    reasoning: Literal["strip", "expose"] = "strip"
    """Whether what a model thinks is kept from clients, or sent as reasoning of its own."""
    reasoning_effort: Literal["", "none", "low", "medium", "high", "xhigh"] = ""
    """How much to think where a client does not say; empty leaves it to the model."""
    reasoning_budget: int = 0
    """The most tokens of thought where a client does not say; then the answer begins. 0 sets no bound."""
    structured_thinking: Literal["off", "two-phase"] = "off"
    """Under a format for the answer: `off` turns thinking off, `two-phase` binds the answer after the thought."""
    allowed_hosts: tuple[str, ...] = ()
    """Further values of the Host header to accept, for a reverse proxy on this machine."""
    aliases: dict[str, str] = {}
    """Further model names that clients may use, each with the model that answers."""
    upstream: tuple[UpstreamSettings, ...] = ()
    engine: EngineSettings = EngineSettings()
