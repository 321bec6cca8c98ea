"""What comes with Java, as far as following values needs it: types that need no import, and the collections."""

from __future__ import annotations

__all__ = ["CONTAINERS", "HANDING", "LANGUAGE_TYPES", "MAPPING", "MAPS", "ONE_ITEM", "PRIMITIVES", "RESULTS", "SAME"]

PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short", "void"})

LANGUAGE_TYPES = frozenset(
    {
        "AbstractMethodError", "Appendable", "ArithmeticException", "ArrayIndexOutOfBoundsException",
        "ArrayStoreException", "AssertionError", "AutoCloseable", "Boolean", "Byte", "CharSequence", "Character",
        "Class", "ClassCastException", "ClassLoader", "ClassNotFoundException", "CloneNotSupportedException",
        "Cloneable", "Comparable", "Deprecated", "Double", "Enum", "Error", "Exception",
        "ExceptionInInitializerError", "Float", "FunctionalInterface", "IllegalAccessException",
        "IllegalArgumentException", "IllegalStateException", "IndexOutOfBoundsException", "InstantiationException",
        "Integer", "InterruptedException", "Iterable", "LinkageError", "Long", "Math", "Module",
        "NegativeArraySizeException", "NoClassDefFoundError", "NoSuchFieldException", "NoSuchMethodException",
        "NullPointerException", "Number", "NumberFormatException", "Object", "OutOfMemoryError", "Override", "Package",
        "Process", "ProcessBuilder", "Readable", "Record", "ReflectiveOperationException", "Runnable", "Runtime",
        "RuntimeException", "SafeVarargs", "SecurityException", "Short", "StackOverflowError", "StackTraceElement",
        "StrictMath", "String", "StringBuffer", "StringBuilder", "StringIndexOutOfBoundsException",
        "SuppressWarnings", "System", "Thread", "ThreadGroup", "ThreadLocal", "Throwable",
        "UnsupportedOperationException", "VirtualMachineError", "Void",
    }
)  # fmt: skip
"""The types of `java.lang`."""

CONTAINERS = frozenset(
    {
        "ArrayDeque", "ArrayList", "BlockingQueue", "Collection", "ConcurrentLinkedQueue", "CopyOnWriteArrayList",
        "Deque", "EnumSet", "Enumeration", "HashSet", "Iterable", "Iterator", "LinkedHashSet", "LinkedList", "List",
        "ListIterator", "NavigableSet", "Optional", "PriorityQueue", "Queue", "Set", "SortedSet", "Stack", "Stream",
        "Supplier", "ThreadLocal", "TreeSet", "Vector", "WeakReference", "SoftReference", "AtomicReference",
    }
)  # fmt: skip
"""Types whose first argument is what they hold."""

MAPS = frozenset(
    {
        "AbstractMap", "ConcurrentHashMap", "ConcurrentMap", "EnumMap", "HashMap", "Hashtable", "IdentityHashMap",
        "LinkedHashMap", "Map", "NavigableMap", "SortedMap", "TreeMap", "WeakHashMap", "Entry",
    }
)  # fmt: skip

ONE_ITEM = frozenset(
    {
        "element", "first", "firstElement", "get", "getFirst", "getLast", "last", "lastElement", "next", "nextElement",
        "orElse", "orElseGet", "orElseThrow", "peek", "peekFirst", "peekLast", "poll", "pollFirst", "pollLast", "pop",
        "previous", "remove", "removeFirst", "removeLast",
    }
)  # fmt: skip
"""Methods of containers that give one of what they hold."""

SAME = frozenset(
    {
        "descendingIterator", "distinct", "elements", "filter", "findAny", "findFirst", "iterator", "limit",
        "listIterator", "parallelStream", "reversed", "skip", "sorted", "stream", "subList", "toList",
    }
)  # fmt: skip
"""Methods of containers that give a container of the same."""

MAPPING = frozenset({"flatMap", "map", "mapToObj"})
"""Methods that give a container of what a function makes."""

HANDING = frozenset(
    {
        *MAPPING, "allMatch", "anyMatch", "compute", "computeIfPresent", "dropWhile", "filter", "forEach",
        "forEachOrdered", "ifPresent", "ifPresentOrElse", "mapToDouble", "mapToInt", "mapToLong", "max", "merge", "min",
        "noneMatch", "peek", "removeIf", "replaceAll", "sort", "sorted", "takeWhile",
    }
)  # fmt: skip
"""Methods that hand what they hold to a function."""

RESULTS = {
    **dict.fromkeys(
        (
            "concat", "format", "getCanonicalName", "getMessage", "getName", "getProperty", "getSimpleName", "intern",
            "join", "lineSeparator", "readLine", "repeat", "replace", "replaceAll", "replaceFirst", "strip",
            "stripLeading", "stripTrailing", "substring", "toLowerCase", "toString", "toUpperCase", "trim",
            "getLocalizedMessage", "getAbsolutePath",
        ),
        "String",
    ),
    **dict.fromkeys(
        ("compareTo", "hashCode", "indexOf", "intValue", "lastIndexOf", "length", "ordinal", "parseInt", "size"), "int"
    ),
    **dict.fromkeys(
        (
            "add", "contains", "containsKey", "endsWith", "equals", "equalsIgnoreCase", "exists", "hasNext", "isEmpty",
            "matches", "startsWith",
        ),
        "boolean",
    ),
    "charAt": "char",
    "getBytes": "[]",
    "getClass": "Class",
    "longValue": "long",
    "parseLong": "long",
    "split": "[]",
    "toCharArray": "[]",
}  # fmt: skip
"""What methods of types from outside give, where the name says it whatever the type is."""
