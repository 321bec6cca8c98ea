"""Each finding carries a cure, and the cure, run as it is printed, removes the finding."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from roteiro.doctor.finding import Finding
from roteiro.models.folder import ModelFolder
from roteiro.models.registry import known_model
from tests.roteiro.models.publishing import CONTENT, Publisher, tiny_model


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.fixture
def doctor(roteiro, repository, monkeypatch):
    """Return a function that gives the findings by check; the address is a free one."""
    monkeypatch.setenv("ROTEIRO_SERVE_ADDR", free_address())

    def examine(check):
        ran = roteiro("doctor", "--root", repository, "--json")
        findings = [msgspec.convert(finding, Finding) for finding in ran.json["findings"]]
        assert ran.code == (0 if ran.json["is_well"] else 1)
        assert all(finding.cure or finding.level == "ok" for finding in findings)
        return [finding for finding in findings if finding.check == check and finding.level != "ok"]

    return examine


@pytest.fixture
def cured(roteiro, monkeypatch):
    """Return a function that runs a cure as it is printed: ours in this process, any other in a shell."""

    def run(finding: Finding, typed: str = "") -> None:
        words = shlex.split(finding.cure)
        if words[0] == "roteiro":
            ran = roteiro(*words[1:])
            assert ran.code == 0, ran.err
            return
        done = subprocess.run(
            ["bash", "-c", f"{finding.cure} && env -0"], input=typed, capture_output=True, text=True, check=True
        )
        left = dict(pair.split("=", 1) for pair in done.stdout.rpartition("\n")[2].split("\0") if "=" in pair)
        for name in [name for name in os.environ if name.startswith("ROTEIRO_") and name not in left]:
            monkeypatch.delenv(name)
        for name, value in left.items():
            if os.environ.get(name) != value and name not in {"_", "SHLVL", "PWD"}:
                monkeypatch.setenv(name, value)

    return run


@pytest.fixture
def yes(monkeypatch):
    """Answer every question on the terminal with yes."""
    monkeypatch.setattr("roteiro.terminal.confirm", lambda question: True)
    monkeypatch.setattr("roteiro.commands.model_pull.confirm", lambda question: True)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Return a folder that is all of PATH, without git and compilers, and whose apt-get "installs" what is asked."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("bash", "env", "sh", "chmod", "touch", "cat"):
        (folder / name).symlink_to(shutil.which(name))
    (folder / "apt-get").write_text(
        f'#!/bin/sh\necho "#!/bin/sh" > {folder}/$3\necho echo $3 1.0 >> {folder}/$3\nchmod +x {folder}/$3\n'
    )
    (folder / "apt-get").chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_a_repository_that_is_not_indexed_is_cured_by_sync(doctor, cured):
    """The warning becomes an ok."""
    (finding,) = doctor("index")
    assert finding.level == "warning"
    cured(finding)
    assert doctor("index") == []


def test_a_stale_index_is_cured_by_sync(roteiro, doctor, cured, repository):
    """One file is newer."""
    roteiro("sync", "--root", repository)
    (repository / "new.py").write_text("x = 1\n")
    (finding,) = doctor("index")
    assert "1 files are newer" in finding.message
    cured(finding)
    assert doctor("index") == []


def test_a_corrupt_store_is_a_problem_cured_by_a_rebuild(roteiro, doctor, cured, repository):
    """Exit code 1 until then."""
    roteiro("sync", "--root", repository)
    (repository / ".git" / "roteiro" / "graph.db").write_bytes(b"garbage" * 5000)
    (finding,) = doctor("index")
    assert finding.level == "problem"
    cured(finding)
    assert doctor("index") == []


def test_a_store_that_contradicts_itself_is_cured_by_a_rebuild(roteiro, doctor, cured, repository):
    """`verify` is part of the examination."""
    roteiro("sync", "--root", repository)
    with sqlite3.connect(repository / ".git" / "roteiro" / "graph.db") as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM node WHERE name = 'reserve'")
    connection.close()
    (finding,) = doctor("index")
    assert finding.level == "problem"
    cured(finding)
    assert doctor("index") == []


def test_a_store_of_a_newer_roteiro_is_set_aside_and_kept(roteiro, doctor, cured, repository):
    """Then the index is merely missing."""
    roteiro("sync", "--root", repository)
    store = repository / ".git" / "roteiro" / "graph.db"
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    (finding,) = doctor("index")
    assert "newer Roteiro" in finding.message
    cured(finding)
    (missing,) = doctor("index")
    assert "not indexed yet" in missing.message
    assert (store.parent / "graph.db.newer").exists()


def test_a_repository_that_git_refuses_is_cured_by_trusting_it(doctor, cured, repository, tmp_path, monkeypatch):
    """Another user owns it; trusting it is the person's own decision."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    # git takes this for the sign that it runs in a folder of another user; ours clears it, so a stand-in refuses.
    real = shutil.which("git")
    stand_in = tmp_path / "bin" / "git"
    stand_in.parent.mkdir()
    stand_in.write_text(
        f"#!/bin/sh\nif ! {real} config --file {tmp_path}/gitconfig --get safe.directory > /dev/null; then\n"
        f'echo "fatal: detected dubious ownership in repository" >&2; exit 128; fi\nexec {real} "$@"\n'
    )
    stand_in.chmod(0o755)
    monkeypatch.setattr("graph.git._git", lambda: str(stand_in))
    (finding,) = doctor("index")
    assert "another user owns it" in finding.message
    cured(finding)
    (missing,) = doctor("index")
    assert "not indexed yet" in missing.message


def test_a_work_tree_set_elsewhere_is_cured_by_unsetting_it(doctor, cured, repository, tmp_path):
    """`core.worktree` may point at anybody's folder."""
    (tmp_path / "home").mkdir()
    subprocess.run(["git", "-C", repository, "config", "core.worktree", tmp_path / "home"], check=True)
    (finding,) = doctor("index")
    assert "core.worktree" in finding.message
    cured(finding)
    (missing,) = doctor("index")
    assert "not indexed yet" in missing.message


def test_a_missing_grammar_is_cured_by_its_package(doctor, cured, tmp_path, monkeypatch):
    """In the version that this installation asks for, by the Python that runs."""
    installed = tmp_path / "installed"
    real = __import__("importlib.util").util.find_spec

    def find_spec(name, package=None):
        return None if name == "tree_sitter_go" and not installed.exists() else real(name, package)

    monkeypatch.setattr("roteiro.doctor.machine.importlib.util.find_spec", find_spec)
    stand_in = tmp_path / "python"
    stand_in.write_text(f'#!/bin/sh\necho "$@" > {installed}\n')
    stand_in.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stand_in))
    (finding,) = doctor("grammar")
    assert "the grammar for go is missing" in finding.message
    cured(finding)
    assert installed.read_text().startswith("-m pip install tree-sitter-go")
    assert doctor("grammar") == []


def test_missing_git_is_cured_by_the_packages_of_the_system(doctor, cured, programs):
    """By whatever manager is there."""
    (finding,) = doctor("git")
    assert finding.cure == "apt-get install -y git"
    cured(finding)
    assert doctor("git") == []


def test_a_missing_engine_is_cured_by_a_compiler_and_its_package(doctor, cured, programs, tmp_path, monkeypatch):
    """Both in one line when both are missing."""
    installed = tmp_path / "engine"
    monkeypatch.setattr("roteiro.doctor.machine.has_local_engine", installed.exists)
    monkeypatch.setattr("roteiro.doctor.machine.importlib.metadata.version", lambda name: "0.3")
    stand_in = tmp_path / "python"
    stand_in.write_text(f'#!/bin/sh\necho "$@" > {installed}\n')
    stand_in.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stand_in))
    (finding,) = doctor("engine")
    assert "C++ compiler, which is missing too" in finding.message
    cured(finding)
    assert (programs / "g++").exists()
    assert installed.read_text().startswith("-m pip install llama-cpp-python==")
    assert doctor("engine") == []


def test_with_an_upstream_a_missing_engine_is_no_finding(doctor, monkeypatch):
    """Something else answers."""
    monkeypatch.setattr("roteiro.doctor.machine.has_local_engine", lambda: False)
    monkeypatch.setenv("ROTEIRO_SERVE_UPSTREAM", "http://127.0.0.1:9/v1")
    assert doctor("engine") == []


@pytest.fixture
def tiny(monkeypatch):
    """Return a small model that is the whole table, at a publisher on this machine."""
    tiny = tiny_model()
    monkeypatch.setattr(ModelFolder.__init__, "__defaults__", ((tiny,),))
    monkeypatch.setattr(known_model, "__defaults__", ((tiny,),))
    for module in ("roteiro.doctor.models", "roteiro.commands.model_pull"):
        monkeypatch.setattr(f"{module}.DEFAULT_MODEL", tiny.id)
    with Publisher.running() as publisher:
        monkeypatch.setenv("ROTEIRO_MODELS_MIRROR", publisher.url)
        yield tiny


@pytest.fixture
def models(roteiro):
    """Return the folder of models of this test."""
    return Path(roteiro("model", "list", "--json").json["folder"])


def test_no_model_is_a_warning_cured_by_a_pull(doctor, cured, tiny, yes):
    """It asks, and fetches the default one."""
    (finding,) = doctor("model")
    assert finding.level == "warning"
    cured(finding)
    assert doctor("model") == []


@pytest.mark.parametrize("content", [b"GGUF", CONTENT[:-1] + b"!", None], ids=["truncated", "changed", "gone"])
def test_a_damaged_model_of_the_table_is_fetched_again(roteiro, doctor, cured, tiny, models, content):
    """Its id is known, so the cure is a pull."""
    assert roteiro("model", "pull", "--yes").code == 0
    path = models / "tiny.gguf"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
        os.utime(path, ns=(1, 1))
    (finding,) = doctor("model")
    assert finding.level == "problem"
    cured(finding)
    assert doctor("model") == []


def test_a_damaged_model_of_ones_own_is_forgotten(roteiro, doctor, cured, tmp_path):
    """One that is not in the table cannot be fetched again."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0) + b"\1" * 100)
    roteiro("model", "add", path)
    assert doctor("model") == []
    path.write_bytes(b"GGUF")
    (finding,) = doctor("model")
    assert finding.level == "problem"
    cured(finding)
    assert [found.message for found in doctor("model")] != [finding.message]


def test_records_that_cannot_be_read_are_removed_and_the_files_found_again(roteiro, doctor, cured, tiny, models, yes):
    """No file is fetched twice for it."""
    assert roteiro("model", "pull", "--yes").code == 0
    (models / "records.json").write_text("{")
    (finding,) = doctor("model")
    cured(finding)
    (missing,) = doctor("model")
    assert "no model is installed" in missing.message
    cured(missing)
    assert doctor("model") == []


def test_an_interrupted_pull_is_cured_by_going_on(doctor, cured, tiny, models, yes):
    """What is there is kept."""
    models.mkdir(parents=True)
    (models / "tiny.gguf.part").write_bytes(CONTENT[:1000])
    finding = doctor("model")[-1]
    assert "an interrupted pull left" in finding.message
    cured(finding)
    assert doctor("model") == []


@pytest.mark.parametrize("name", ["tiny.gguf.part", "nobody.gguf.part"])
def test_a_rest_that_no_pull_would_finish_is_thrown_away(roteiro, doctor, cured, tiny, models, name):
    """The model is whole already, or nobody knows it."""
    assert roteiro("model", "pull", "--yes").code == 0
    (models / name).write_bytes(b"x")
    (finding,) = doctor("model")
    cured(finding)
    assert doctor("model") == []


def test_a_model_that_the_settings_name_and_that_is_not_there_is_pulled(doctor, cured, tiny, yes, monkeypatch):
    """Because it is known."""
    monkeypatch.setenv("ROTEIRO_SERVE_MODEL", "tiny")
    (finding,) = doctor("model")
    assert "serve.model = 'tiny' (environment ROTEIRO_SERVE_MODEL)" in finding.message
    cured(finding)
    assert doctor("model") == []


@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_model_that_nobody_knows_is_taken_out_of_the_settings(roteiro, doctor, cured, place, monkeypatch):
    """Wherever it was set."""
    if place == "file":
        roteiro("config", "--set", "serve.model=/nowhere/x.gguf")
    else:
        monkeypatch.setenv("ROTEIRO_SERVE_MODEL", "/nowhere/x.gguf")
    (finding,) = doctor("model")
    cured(finding)
    (missing,) = doctor("model")
    assert "no model is installed" in missing.message


@pytest.mark.parametrize("place", ["environment", "file"])
def test_an_upstream_that_does_not_answer_is_taken_out(roteiro, doctor, cured, place, monkeypatch):
    """It names the address, and says that starting it is the other way."""
    if place == "file":
        roteiro("config", "--set", "serve.upstream=http://127.0.0.1:9/v1")
    else:
        monkeypatch.setenv("ROTEIRO_SERVE_UPSTREAM", "http://127.0.0.1:9/v1")
    (finding,) = doctor("upstream")
    assert "http://127.0.0.1:9/v1 does not answer" in finding.message
    cured(finding)
    assert doctor("upstream") == []


def test_the_key_of_an_upstream_is_asked_for_and_never_shown(doctor, cured, tiny, monkeypatch, tmp_path):
    """The cure reads it without an echo."""
    with Publisher.running() as upstream:
        settings = tmp_path / "settings.toml"
        settings.write_text(f'[[serve.upstream]]\nbase_url = "{upstream.url}/v1"\napi_key_env = "BOX_KEY"\n')
        monkeypatch.setenv("ROTEIRO_CONFIG", str(settings))
        (finding,) = doctor("upstream")
        cured(finding, typed="secret\n")
        assert os.environ["BOX_KEY"] == "secret"
        assert doctor("upstream") == []


@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_taken_address_is_cured_by_a_free_one(roteiro, doctor, cured, place, monkeypatch):
    """Another program listens there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        if place == "file":
            monkeypatch.delenv("ROTEIRO_SERVE_ADDR")
            roteiro("config", "--set", f"serve.addr={address}")
        else:
            monkeypatch.setenv("ROTEIRO_SERVE_ADDR", address)
        (finding,) = doctor("address")
        assert finding.level == "problem"
        cured(finding)
        assert doctor("address") == []


def test_an_address_of_the_network_is_cured_by_one_of_this_machine(doctor, cured, monkeypatch):
    """The server would refuse it."""
    monkeypatch.setenv("ROTEIRO_SERVE_ADDR", f"0.0.0.0:{free_address().rpartition(':')[2]}")
    (finding,) = doctor("address")
    assert "loopback" in finding.message
    cured(finding)
    assert doctor("address") == []


def test_a_full_disk_is_cured_by_giving_back_room(roteiro, doctor, cured, repository, yes, monkeypatch):
    """What is deleted is shown first and can be made again."""
    roteiro("sync", "--root", repository)
    store = repository / ".git" / "roteiro" / "graph.db"
    usage = shutil.disk_usage(repository)
    monkeypatch.setattr(
        "roteiro.doctor.machine.shutil.disk_usage", lambda _: usage._replace(free=1 if store.exists() else 10**12)
    )
    finding = doctor("disk")[0]
    cured(finding)
    assert doctor("disk") == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("roteiro.toml", "[serve]\nqueue = 1\n"),
        ("roteiro.toml", "not toml"),
        ("config.toml", "[serve]\nqeue = 1\n"),
        ("config.toml", '[serve]\nqueue = "many"\n'),
        ("config.toml", "[serve\n"),
        ("environment", "ROTEIRO_SERVE_QEUE"),
        ("environment", "ROTEIRO_SERVE_QUEUE"),
    ],
)
def test_settings_that_cannot_be_read_are_cured_where_they_stand(
    doctor, cured, repository, tmp_path, monkeypatch, file, text
):
    """One key becomes a comment, a variable is unset, an unreadable file is set aside."""
    monkeypatch.setenv("ROTEIRO_CONFIG", str(tmp_path / "config.toml"))
    match file:
        case "environment":
            monkeypatch.setenv(text, "many")
        case "roteiro.toml":
            (repository / file).write_text(text)
        case _:
            (tmp_path / file).write_text(text)
    (finding,) = doctor("settings")
    assert finding.level == "problem"
    cured(finding)
    assert doctor("settings") == []


def test_for_a_person_every_finding_is_a_line_and_every_cure_another(roteiro, repository):
    """No colours where there is no terminal."""
    out = roteiro("doctor", "--root", repository).out
    assert "cure: roteiro sync --root" in out
    assert "\x1b" not in out
