"""Where the modules of JavaScript and TypeScript live."""

from __future__ import annotations

import json

import pytest

from graph.resolve.modules_javascript import ScriptModules
from graph.resolve.packages_javascript import export_targets, read_json, workspace_globs


def lookup(paths: list[str], configs: dict[str, object]) -> ScriptModules:
    texts = {path: text if isinstance(text, str) else json.dumps(text) for path, text in configs.items()}
    return ScriptModules(sorted(paths), texts.get)


@pytest.mark.parametrize(
    ("importer", "specifier", "paths", "expected"),
    [
        ("a.ts", "./b", ["b.ts"], "b.ts"),
        ("a.ts", "./b", ["b.tsx"], "b.tsx"),
        ("a.ts", "./b", ["b.js", "b.ts"], "b.ts"),
        ("a.js", "./b", ["b.js", "b.ts"], "b.js"),
        ("a.ts", "./b.js", ["b.ts"], "b.ts"),
        ("a.ts", "./b.jsx", ["b.tsx"], "b.tsx"),
        ("a.ts", "./b.mjs", ["b.mts"], "b.mts"),
        ("a.ts", "./b.js", ["b.js"], "b.js"),
        ("a.ts", "./b.js", ["b.d.ts"], "b.d.ts"),
        ("a.ts", "./b", ["b.d.ts"], "b.d.ts"),
        ("a.ts", "./b", ["b/index.ts"], "b/index.ts"),
        ("a.ts", "./b", ["b.ts", "b/index.ts"], "b.ts"),
        ("a.ts", "./b/", ["b/index.js"], "b/index.js"),
        ("src/a.ts", "..", ["index.ts"], "index.ts"),
        ("src/x/a.ts", "..", ["src/index.ts"], "src/index.ts"),
        ("src/a.ts", ".", ["src/index.ts"], "src/index.ts"),
        ("src/a.ts", "../lib/b", ["lib/b.cjs"], "lib/b.cjs"),
        ("a.ts", "./b.config", ["b.config.ts"], "b.config.ts"),
        ("a.ts", "./b?raw", ["b.ts"], "b.ts"),
        ("a.ts", "./style.css", [], None),
        ("a.ts", "../outside", [], None),
    ],
)
def test_relative_paths_are_probed(importer: str, specifier: str, paths: list[str], expected: str | None) -> None:
    """Extensions, written ones that stand for others, and the index of a folder."""
    found = lookup([importer, *paths], {}).resolve(importer, specifier)
    assert (found.path, found.is_external) == (expected, False)


@pytest.mark.parametrize("specifier", ["react", "node:fs", "@scope/name/deep", "https://x.org/m.js", "npm:chalk"])
def test_packages_outside_are_external(specifier: str) -> None:
    """They are known to be no file of the repository."""
    assert lookup(["a.ts"], {}).resolve("a.ts", specifier).is_external


def test_a_missing_file_says_what_would_change_that() -> None:
    """The signal of the module, wherever its extension or index file turns up."""
    found = lookup(["src/a.ts"], {}).resolve("src/a.ts", "./b")
    assert found.path is None
    assert "?src.b" in found.listens


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("@/util", "src/util.ts"),
        ("@/deep/x", "src/deep/x.ts"),
        ("exact", "src/exact.ts"),
        ("@lib/a", "lib/a.ts"),
        ("fallback/a", "lib/a.ts"),
        ("src/util", "src/util.ts"),
        ("unknown", None),
    ],
)
def test_paths_and_base_url_of_tsconfig_hold(specifier: str, expected: str | None) -> None:
    """The most specific pattern wins, targets are tried in order, comments and trailing commas are read over."""
    tsconfig = """{
      // the paths
      "compilerOptions": {"baseUrl": ".", "paths": {
        "@/*": ["./src/*"], "@lib/*": ["lib/*"], "exact": ["src/exact"], "fallback/*": ["gone/*", "lib/*"], /* x */
      },},
    }"""
    paths = ["src/a.ts", "src/util.ts", "src/deep/x.ts", "src/exact.ts", "lib/a.ts"]
    assert lookup(paths, {"tsconfig.json": tsconfig}).resolve("src/a.ts", specifier).path == expected


def test_paths_are_inherited_and_relative_to_the_file_that_gives_them() -> None:
    """`extends` by a relative path, with and without its extension."""
    configs = {
        "app/tsconfig.json": {"extends": "../base/tsconfig.paths"},
        "base/tsconfig.paths.json": {"compilerOptions": {"paths": {"~/*": ["../shared/*"]}}},
    }
    found = lookup(["app/a.ts", "shared/b.ts"], configs).resolve("app/a.ts", "~/b")
    assert found.path == "shared/b.ts"
    assert {"app/tsconfig.json", "base/tsconfig.paths.json"} <= set(found.listens)


@pytest.mark.parametrize(
    "extends", ["@shop/conf/tsconfig.json", "@shop/conf", ["@shop/conf/tsconfig"], "@shop/code/base"]
)
def test_paths_are_inherited_from_a_package_of_the_workspace(extends: object) -> None:
    """Shared configurations are packages of their own, often without any script in them."""
    paths = {"compilerOptions": {"paths": {"~/*": ["../../src/*"]}}}
    configs = {
        "package.json": {"workspaces": ["packages/*"]},
        "packages/conf/package.json": {"name": "@shop/conf"},
        "packages/conf/tsconfig.json": paths,
        "packages/code/package.json": {"name": "@shop/code"},
        "packages/code/base.json": paths,
        "tsconfig.json": {"extends": extends},
    }
    found = lookup(["a.ts", "src/b.ts", "packages/code/index.ts"], configs).resolve("a.ts", "~/b")
    assert found.path == "src/b.ts"
    assert "package.json" in found.listens


@pytest.mark.parametrize("extends", ["@tsconfig/node20/tsconfig.json", "", "@", "/", "../../..", "x/../../y"])
def test_a_configuration_that_is_not_here_says_nothing(extends: str) -> None:
    """A package from outside is not read."""
    configs = {"package.json": {"workspaces": ["../*", "*"]}, "tsconfig.json": {"extends": extends}}
    assert lookup(["a.ts"], configs).resolve("a.ts", "~/b").path is None


def test_paths_may_stand_in_a_referenced_project() -> None:
    """As bundler templates lay them out."""
    configs = {
        "tsconfig.json": {"files": [], "references": [{"path": "./tsconfig.app.json"}]},
        "tsconfig.app.json": {"compilerOptions": {"paths": {"@/*": ["./src/*"]}}},
    }
    assert lookup(["src/a.ts", "src/b.ts"], configs).resolve("src/a.ts", "@/b").path == "src/b.ts"


def test_configurations_that_extend_each_other_end() -> None:
    """A cycle is read once."""
    configs = {"tsconfig.json": {"extends": "./b.json"}, "b.json": {"extends": "./tsconfig.json"}}
    assert lookup(["a.ts"], configs).resolve("a.ts", "x").is_external


WORKSPACE: dict[str, object] = {
    "package.json": {"workspaces": ["packages/*", "!packages/old"]},
    "packages/core/package.json": {
        "name": "@acme/core",
        "exports": {
            ".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"},
            "./sub": "./src/sub.ts",
            "./deep/*": "./src/deep/*.ts",
        },
    },
    "packages/plain/package.json": {"name": "plain", "main": "lib/main.js"},
    "packages/bare/package.json": {"name": "bare"},
    "packages/old/package.json": {"name": "old", "main": "index.js"},
}
WORKSPACE_FILES = [
    "packages/core/src/index.ts",
    "packages/core/src/sub.ts",
    "packages/core/src/deep/x.ts",
    "packages/plain/lib/main.js",
    "packages/plain/other.js",
    "packages/bare/src/index.ts",
    "packages/old/index.js",
    "app/a.ts",
]


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("@acme/core", "packages/core/src/index.ts"),
        ("@acme/core/sub", "packages/core/src/sub.ts"),
        ("@acme/core/deep/x", "packages/core/src/deep/x.ts"),
        ("plain", "packages/plain/lib/main.js"),
        ("plain/other", "packages/plain/other.js"),
        ("bare", "packages/bare/src/index.ts"),
        ("old", None),
        ("@acme/unknown", None),
    ],
)
def test_packages_of_a_workspace_are_found_by_name(specifier: str, expected: str | None) -> None:
    """By their exports, their main file, or the usual entry; what was built is looked for in its sources."""
    assert lookup(WORKSPACE_FILES, WORKSPACE).resolve("app/a.ts", specifier).path == expected


def test_pnpm_and_lerna_declare_workspaces_too() -> None:
    """In their own files."""
    globs = workspace_globs(
        None, "packages:\n  - 'libs/*' # all\n  - \"!libs/x\"\nother:\n  - no\n", '{"packages": ["p/*"]}'
    )
    assert globs == ("libs/*", "!libs/x", "p/*")


@pytest.mark.parametrize("name", ["libs", "unknown"])
def test_a_package_listens_to_what_declares_workspaces(name: str) -> None:
    """A change of `pnpm-workspace.yaml` alone makes a package, or unmakes it; so does one that appears."""
    configs = {
        "web/pnpm-workspace.yaml": "packages:\n  - 'libs'\n",
        "lerna.json": {"packages": ["p/*"]},
        "web/libs/package.json": {"name": "libs"},
    }
    found = lookup(["web/libs/index.ts", "app/a.ts"], configs).resolve("app/a.ts", name)
    assert found.path == ("web/libs/index.ts" if name == "libs" else None)
    assert {"web/pnpm-workspace.yaml", "lerna.json", "?pnpm-workspace", "?lerna", "?package"} <= set(found.listens)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [("me", "src/index.ts"), ("me/x", "src/x.ts"), ("#x", "src/x.ts"), ("#in/x", "src/x.ts"), ("#no", None)],
)
def test_a_package_knows_itself_and_its_internal_names(specifier: str, expected: str | None) -> None:
    """By `name` with `exports`, and by `imports`."""
    package = {
        "name": "me",
        "exports": {".": "./src/index.js", "./*": "./src/*.js"},
        "imports": {"#x": {"node": "./src/x.js"}, "#in/*": "./src/*.js"},
    }
    files = ["src/index.ts", "src/x.ts", "src/y/a.ts"]
    assert lookup(files, {"package.json": package}).resolve("src/y/a.ts", specifier).path == expected


def test_a_dependency_may_be_linked_by_a_path() -> None:
    """`file:` leads to a folder of the repository."""
    configs = {
        "app/package.json": {"dependencies": {"lib": "file:../lib"}},
        "lib/package.json": {"name": "whatever", "main": "./main"},
    }
    assert lookup(["app/a.js", "lib/main.js"], configs).resolve("app/a.js", "lib").path == "lib/main.js"


@pytest.mark.parametrize(
    ("importer", "specifier", "config", "is_external"),
    [
        ("app/a.js", "shape", {}, False),
        ("app/a.js", "shapes/round", {}, False),
        ("app/a.js", "shape", {"dependencies": {"shapes": "1"}}, False),
        ("app/a.js", "shape", {"devDependencies": {"shape": "1"}}, True),
        ("app/a.js", "shape", {"dependencies": {"@types/shape": "1"}}, True),
        ("app/a.js", "events", {}, True),
        ("app/a.js", "other", {}, True),
        ("app/a.ts", "shape", {}, True),
        ("app/deep/a.js", "shape", {}, True),
    ],
)
def test_a_bare_name_that_may_stand_beside_is_not_known(
    importer: str, specifier: str, config: dict[str, object], is_external: bool
) -> None:
    """A loader with a base folder might find it, which no rule says: no target, and calls of it have candidates."""
    files = [importer, "app/shape.js", "app/events.js", "app/shapes/round/index.js"]
    found = lookup(files, {"package.json": {"name": "app", **config}}).resolve(importer, specifier)
    assert (found.path, found.is_external) == (None, is_external)


@pytest.mark.parametrize(
    ("specifier", "heard"),
    [
        ("./sub", "?app.sub"),
        ("./sub/index", "?app.sub"),
        ("..", "index.js"),
        ("../index", "index.js"),
        ("me", "?round"),
    ],
)
def test_what_is_missing_is_heard_when_it_comes(specifier: str, heard: str) -> None:
    """Files by their place, an index by its folder, entries of packages by their names."""
    found = lookup(["app/a.js"], {"package.json": {"name": "me", "main": "./dist/round.js"}})
    assert heard in found.resolve("app/a.js", specifier).listens


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"a": ' + "[" * 5_000, "\ufeff{}", None])
def test_malformed_configuration_says_nothing(text: str | None) -> None:
    """And stops nothing."""
    assert read_json(text) == {}


def test_strings_that_look_like_comments_are_kept() -> None:
    """As are commas inside strings."""
    assert read_json('{"a": "http://x", "b": ",}" /* c */, }') == {"a": "http://x", "b": ",}"}


def test_the_longest_export_pattern_wins() -> None:
    """As Node does."""
    table = {"./*": ("./all/*.js",), "./in/*": ("./in/*.js",), "./in/x": ("./exact.js",)}
    found = [export_targets(table, key) for key in ("./in/x", "./in/y", "./z", "z")]
    assert found == [("./exact.js",), ("./in/y.js",), ("./all/z.js",), ()]
