"""What JavaScript and TypeScript bring along, by name: globals, types of containers, functions that call back."""

from __future__ import annotations

__all__ = [
    "CALLING",
    "COMPONENT_WRAPPERS",
    "GLOBALS",
    "GLOBAL_OBJECTS",
    "INTEROPERATING",
    "LAZY_COMPONENTS",
    "LISTS",
    "MAPS",
    "NODE_MODULES",
    "PASSING_FIRST",
    "PRIMITIVES",
    "TIMERS",
    "TRANSPARENT",
]

GLOBALS = frozenset(
    {
        "AbortController", "AbortSignal", "Array", "ArrayBuffer", "Atomics", "BigInt", "BigInt64Array", "Blob",
        "Boolean", "Buffer", "Bun", "CustomEvent", "DataView", "Date", "Deno", "Element", "Error", "EvalError",
        "Event", "EventTarget", "File", "FormData", "Function", "HTMLElement", "Headers", "Infinity", "Int16Array",
        "Int32Array", "Int8Array", "Intl", "Iterator", "JSON", "Map", "Math", "MessageChannel", "NaN", "Node",
        "Number", "Object", "Promise", "Proxy", "RangeError", "ReadableStream", "ReferenceError", "Reflect",
        "RegExp", "Request", "Response", "Set", "SharedArrayBuffer", "String", "Symbol", "SyntaxError",
        "TextDecoder", "TextEncoder", "TransformStream", "TypeError", "URIError", "URL", "URLSearchParams",
        "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet",
        "WebAssembly", "WebSocket", "WritableStream", "XMLHttpRequest", "__dirname", "__filename", "afterAll",
        "afterEach", "alert", "assert", "atob", "beforeAll", "beforeEach", "btoa", "caches", "clearImmediate",
        "clearInterval", "clearTimeout", "console", "crypto", "decodeURI", "decodeURIComponent", "describe",
        "document", "encodeURI", "encodeURIComponent", "escape", "eval", "expect", "fetch", "global", "globalThis",
        "history", "import", "isFinite", "isNaN", "it", "jest", "localStorage", "location", "navigator",
        "parseFloat", "parseInt", "performance", "process", "queueMicrotask", "requestAnimationFrame", "require",
        "self", "sessionStorage", "setImmediate", "setInterval", "setTimeout", "structuredClone", "test",
        "undefined", "unescape", "vi", "window",
    }
)  # fmt: skip
"""Names that every program has without binding them, in browsers, servers and test runners."""

NODE_MODULES = frozenset(
    {
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
        "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net",
        "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
        "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
        "worker_threads", "zlib",
    }
)  # fmt: skip
"""Modules that Node brings along under a bare name."""

PRIMITIVES = frozenset(
    {
        "Boolean", "Number", "Object", "String", "Symbol", "any", "bigint", "boolean", "never", "null", "number",
        "object", "string", "symbol", "unknown", "void",
    }
)  # fmt: skip
"""Types whose values have no members in a repository."""

PASSING_FIRST = frozenset(
    {
        "Object", "Object.freeze", "Object.fromEntries", "Object.preventExtensions", "Object.seal",
        "Object.setPrototypeOf", "Promise.resolve", "structuredClone", "Promise.all", "Promise.allSettled",
    }
)  # fmt: skip
"""Functions that give their first argument back."""

COMPONENT_WRAPPERS = frozenset({"react.memo", "react.forwardRef", "preact/compat.memo", "preact/compat.forwardRef"})
"""Functions that make a component of the one they get, which runs in its place."""

LAZY_COMPONENTS = frozenset({"react.lazy", "preact/compat.lazy", "solid-js.lazy"})
"""Functions that get one that loads a module, whose default export is the component."""

GLOBAL_OBJECTS = frozenset({"global", "globalThis", "self", "window"})
"""Names of the object whose properties every script sees as names."""

INTEROPERATING = frozenset(
    {
        "__importDefault", "__importStar", "__toESM", "_interopNamespaceDefault", "_interopRequireDefault",
        "_interopRequireWildcard", "_interop_require_default", "_interop_require_wildcard",
    }
)  # fmt: skip
"""Helpers of compilers that make an ES module of what `require` gives; it is that module for us."""

LISTS = frozenset(
    {
        "Array", "ArrayLike", "AsyncGenerator", "AsyncIterable", "AsyncIterableIterator", "AsyncIterator",
        "Generator", "Iterable", "IterableIterator", "Iterator", "ReadableStream", "ReadonlyArray", "ReadonlySet",
        "Set", "WeakSet",
    }
)  # fmt: skip
"""Types whose one argument is what iteration gives."""

MAPS = frozenset(
    {
        "Map", "ReadonlyMap", "Record", "WeakMap",
    }
)  # fmt: skip
"""Types with keys and values."""

TRANSPARENT = frozenset(
    {
        "Awaited", "DeepPartial", "Exclude", "Extract", "NoInfer", "NonNullable", "Omit", "Partial", "Pick",
        "Promise", "PromiseLike", "Readonly", "Required", "ThisType", "WeakRef",
    }
)  # fmt: skip
"""Types taken for their argument: a promise is what it promises."""

TIMERS = frozenset(
    {
        "nextTick", "queueMicrotask", "requestAnimationFrame", "setImmediate", "setInterval", "setTimeout",
    }
)  # fmt: skip
"""Functions that call their first argument."""

CALLING = frozenset(
    {
        "catch", "every", "filter", "finally", "find", "findIndex", "findLast", "findLastIndex", "flatMap",
        "forEach", "map", "reduce", "reduceRight", "some", "sort", "then", "toSorted",
    }
)  # fmt: skip
"""Methods of arrays and promises that call their first argument."""
