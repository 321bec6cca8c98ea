"""The tables of the store, and the ordered list of migrations that leads to them.

One database per worktree. Every row belongs to a project (its integer id), so that several projects can share a store
later without a rewrite. Integer ids are private to one database and differ between a full and an incremental build;
what must be equal between the two is every row with its ids replaced by keys and paths (see `store.snapshot`).
"""

__all__ = ["MIGRATIONS", "SCHEMA_VERSION"]

_FIRST = """
CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,
  built_commit TEXT NOT NULL DEFAULT '',   -- the commit the graph was built from, '' outside git
  built_at TEXT NOT NULL DEFAULT '',       -- UTC, for people; never compared
  versions TEXT NOT NULL DEFAULT ''        -- extract/resolve/search versions; a change means a rebuild
);
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  language TEXT NOT NULL DEFAULT '',
  blob TEXT NOT NULL DEFAULT '',           -- git blob id of the bytes that were indexed
  size INTEGER NOT NULL DEFAULT 0,
  mtime_ns INTEGER NOT NULL DEFAULT 0,
  ctime_ns INTEGER NOT NULL DEFAULT 0,
  inode INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,                    -- indexed | skipped | other (listed, no language of ours)
  reason TEXT NOT NULL DEFAULT '',         -- why skipped
  line_count INTEGER NOT NULL DEFAULT 0,
  error_count INTEGER NOT NULL DEFAULT 0,
  interface TEXT NOT NULL DEFAULT '',      -- digest of what other files can see of it
  doc TEXT NOT NULL DEFAULT '',
  UNIQUE (project, path)
);
CREATE TABLE node (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE,
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  qualname TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  name_line INTEGER NOT NULL DEFAULT 0,
  signature TEXT NOT NULL DEFAULT '',
  doc TEXT NOT NULL DEFAULT '',
  parent TEXT,                             -- key of the containing node
  is_test INTEGER NOT NULL DEFAULT 0,
  is_exported INTEGER NOT NULL DEFAULT 1,
  UNIQUE (project, key)
);
CREATE INDEX node_file ON node(file);
CREATE INDEX node_name ON node(project, name);
CREATE TABLE edge (
  project INTEGER NOT NULL,
  src INTEGER NOT NULL REFERENCES node(id) ON DELETE CASCADE,
  dst INTEGER NOT NULL REFERENCES node(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,  -- the file whose resolution gave this edge
  provenance TEXT NOT NULL,
  confidence REAL NOT NULL,
  lines TEXT NOT NULL DEFAULT '',          -- comma-separated, sorted, in the file of src
  PRIMARY KEY (src, kind, dst, provenance)
) WITHOUT ROWID;
CREATE INDEX edge_dst ON edge(dst, kind);
CREATE INDEX edge_file ON edge(file);
CREATE TABLE unresolved (                  -- calls that no rule resolved; candidates are matched by name when asked for
  project INTEGER NOT NULL,
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  src INTEGER NOT NULL REFERENCES node(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  line INTEGER NOT NULL
);
CREATE INDEX unresolved_name ON unresolved(project, name);
CREATE INDEX unresolved_file ON unresolved(file);
CREATE INDEX unresolved_src ON unresolved(src);
CREATE TABLE dependency (                  -- resolve `file` again when `on_path` changes its interface
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  on_path TEXT NOT NULL,
  PRIMARY KEY (on_path, file)
) WITHOUT ROWID;
CREATE INDEX dependency_file ON dependency(file);
CREATE TABLE marker (
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  category TEXT NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX marker_file ON marker(file);
CREATE TABLE search_file (                 -- what search keeps of an indexed file, both zlib; see graph.search.indexing
  file INTEGER PRIMARY KEY,                -- no cascade: the index must be told before a file is forgotten
  text BLOB NOT NULL,
  documents BLOB NOT NULL
);
CREATE TABLE search_document (             -- one searchable thing: a row of search_text, and the node it stands for
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  node INTEGER NOT NULL
);
CREATE INDEX search_document_file ON search_document(file);
CREATE INDEX search_document_node ON search_document(node);
CREATE VIRTUAL TABLE search_text USING fts5(  -- already analysed: split, stemmed, lower case
  name, parts, path, signature, doc, body, content = '', tokenize = 'ascii'
);
CREATE VIRTUAL TABLE search_term USING fts5vocab('search_text', 'row');
"""

_VECTORS = """
CREATE TABLE search_vector (               -- the vectors of a file's documents, where they can be made
  id INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used again, so the highest one and the count tell a change
  file INTEGER NOT NULL UNIQUE,
  first_document INTEGER NOT NULL,         -- the documents of a file have consecutive ids
  embedding TEXT NOT NULL,                 -- by what: vectors of different names cannot be compared
  vectors BLOB NOT NULL                    -- 256 half-precision numbers for each document
);
"""

_HANDED = """
CREATE TABLE handed (                      -- what a file hands to functions of other files that call their parameters
  src INTEGER NOT NULL REFERENCES node(id) ON DELETE CASCADE,  -- the function that calls its parameter
  dst INTEGER NOT NULL REFERENCES node(id) ON DELETE CASCADE,  -- the function or class that is handed to it
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  project INTEGER NOT NULL,                -- behind the key: SQLite 3.40 reports the first column as NULL otherwise
  PRIMARY KEY (src, dst, file)
) WITHOUT ROWID;
CREATE INDEX handed_dst ON handed(dst);
CREATE INDEX handed_file ON handed(file);
"""

_NAMES = """
CREATE TABLE interface (                   -- what others can see of a file by name (graph.resolve.interface_parts)
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  parts BLOB NOT NULL
);
CREATE TABLE asked (                       -- the names it asks other files for (graph.resolve.asked)
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  names BLOB NOT NULL
);
"""

MIGRATIONS: tuple[str, ...] = (_FIRST, _VECTORS, _HANDED, _NAMES)
"""SQL scripts in order; script i brings version i to i + 1. Never edit one that was released, append."""

SCHEMA_VERSION = len(MIGRATIONS)
"""Kept in `PRAGMA user_version`; a store with a higher one is refused untouched."""
