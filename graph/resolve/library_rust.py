"""What the standard library of Rust provides, as far as values are followed through it."""

from __future__ import annotations

__all__ = ["ASKING", "CRATES", "LISTS", "MAPS", "PASSING", "PRELUDE", "TAKING", "TRANSPARENT"]

CRATES = frozenset({"std", "core", "alloc", "proc_macro", "test"})

PRELUDE = frozenset(
    {
        "AsMut", "AsRef", "Box", "Clone", "Copy", "Default", "DoubleEndedIterator", "Drop", "Eq", "Err",
        "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From", "FromIterator", "Into", "IntoIterator",
        "Iterator", "None", "Ok", "Option", "Ord", "PartialEq", "PartialOrd", "Result", "Send", "Sized", "Some",
        "String", "Sync", "ToOwned", "ToString", "TryFrom", "TryInto", "Unpin", "Vec", "drop",
        "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64", "[]", "fn",
    }
)  # fmt: skip

TRANSPARENT = frozenset(
    {
        "Option", "Result", "Box", "Rc", "Arc", "Cow", "RefCell", "Cell", "Mutex", "RwLock", "Pin", "Ref", "RefMut",
        "MutexGuard", "Weak", "Reverse", "Wrapping", "ManuallyDrop", "OnceCell", "OnceLock", "LazyLock", "Some", "Ok",
    }
)  # fmt: skip
"""Types and variants that are taken for what they hold, always their first argument."""

LISTS = frozenset(
    {
        "Vec", "VecDeque", "LinkedList", "HashSet", "BTreeSet", "BinaryHeap", "[]", "Iterator", "IntoIterator", "Iter",
        "IterMut", "IntoIter", "Peekable",
    }
)  # fmt: skip

MAPS = frozenset({"HashMap", "BTreeMap"})

PASSING = frozenset(
    {
        "as_deref", "as_deref_mut", "as_mut", "as_ref", "borrow", "borrow_mut", "by_ref", "clone", "cloned", "copied",
        "deref", "deref_mut", "expect", "get_mut", "get_or_insert_with", "into_inner", "lock", "map_err", "ok",
        "ok_or", "ok_or_else", "or_else", "read", "take", "to_owned", "unwrap", "unwrap_or", "unwrap_or_default",
        "unwrap_or_else", "write",
    }
)  # fmt: skip
"""Methods of what is transparent that give what it holds."""

TAKING = frozenset(
    {
        "find", "first", "first_mut", "front", "front_mut", "get", "get_mut", "last", "last_mut", "max", "max_by_key",
        "min", "min_by_key", "next", "next_back", "nth", "peek", "pop", "pop_back", "pop_front", "remove",
        "swap_remove", "index",
    }
)  # fmt: skip
"""Methods of collections and iterators that give one of their items."""

ASKING = frozenset(
    {
        "and_then", "as_slice", "err", "filter", "insert", "is_err", "is_none", "is_none_or", "is_ok", "is_some",
        "is_some_and", "iter", "map", "map_or", "map_or_else", "replace", "to_string", "transpose", "try_into",
        "unwrap_err", "expect_err", "into", "hash", "cmp", "partial_cmp", "eq", "ne", "fmt",
    }
)  # fmt: skip
"""Methods of options, results and what everybody derives, whose result is not followed."""
