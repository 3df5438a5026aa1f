"""Fetching, against a server on this computer that misbehaves in every way we know."""

from __future__ import annotations

import hashlib
import io
import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from postil.corpus.named import download, registry
from postil.corpus.named.fetch import Fetched, fetch
from postil.corpus.named.registry import NAMES, open_named
from postil.errors import FetchError, UsageError

NAME = "20news-19997"
ARTICLES = {f"20_newsgroups/sci.space/{number}": b"Subject: x\n\nbody" for number in range(3)}


def packed(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


# Padding that gzip cannot shrink, so that the file comes in several chunks.
NOISE = b"".join(hashlib.sha256(bytes([i, j])).digest() for i in range(256) for j in range(32))
CONTENT = packed({**ARTICLES, "noise": NOISE})
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT; what the path asks for says how."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str | None]] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.requests.append((self.path, asked))
        getattr(self, self.path.strip("/"))(asked)

    def good(self, asked: str | None) -> None:
        begin = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if begin >= len(CONTENT):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(CONTENT)}")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        if asked:
            last = len(CONTENT) - 1
            self.send_header("Content-Range", f"bytes {begin}-{last}/{len(CONTENT)}")
        self.send_header("Content-Length", str(len(CONTENT) - begin))
        self.end_headers()
        self.wfile.write(CONTENT[begin:])

    def no_ranges(self, _: str | None) -> None:
        self.good(None)

    def no_length(self, _: str | None) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(CONTENT)

    def cut(self, _: str | None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:100_000])

    def endless(self, _: str | None) -> None:
        self.send_response(200)
        self.end_headers()
        self._go_on()

    def endless_in_chunks(self, _: str | None) -> None:
        self.protocol_version = "HTTP/1.1"
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self._go_on(b"10000\r\n", b"\r\n")

    def _go_on(self, before: bytes = b"", after: bytes = b"") -> None:
        with suppress(OSError):  # whoever asked has gone
            for _ in range(1000):
                self.wfile.write(before + bytes(1 << 16) + after)

    def long_length(self, _: str | None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "9" * 5000)
        self.end_headers()
        self.wfile.write(CONTENT)

    def wrong_range(self, _: str | None) -> None:
        self.send_response(206)
        self.send_header("Content-Range", "bytes 7-8/9")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"xx")

    def html(self, _: str | None) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>we have moved</html>")

    def moved(self, _: str | None) -> None:
        self.send_response(302)
        self.send_header("Location", "/good")
        self.end_headers()

    def gone(self, _: str | None) -> None:
        self.send_error(404)

    def rude(self, _: str | None) -> None:
        self.close_connection = True

    def silent(self, _: str | None) -> None:
        import time

        time.sleep(1.0)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch) -> Iterator[Server]:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    with Server() as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def corpus(monkeypatch, no_corpora) -> Path:
    """A corpus of three articles whose checksum is that of CONTENT; its place is returned."""
    known = NAMES[NAME]
    distribution = replace(known.distribution, sha256=SHA256)
    small = replace(known, sizes=frozenset({3}), distribution=distribution)
    monkeypatch.setitem(registry.NAMES, NAME, small)
    return no_corpora / "20news-19997.tar.gz"


@pytest.fixture
def unpublished(monkeypatch, corpus) -> Path:
    """The same corpus, with no published checksum."""
    known = NAMES[NAME]
    distribution = replace(known.distribution, sha256=None)
    monkeypatch.setitem(registry.NAMES, NAME, replace(known, distribution=distribution))
    return corpus


def part_of(corpus: Path) -> Path:
    return corpus.with_name(f"{corpus.name}.part")


def left_behind(corpus: Path) -> list[str]:
    return sorted(path.name for path in corpus.parent.iterdir())


@pytest.mark.parametrize("path", ["good", "no_length", "long_length", "moved"])
def test_a_download_is_checked_and_can_be_opened(server, corpus, path):
    seen = []
    fetched = fetch(NAME, urls=[server.url(path)], progress=lambda *now: seen.append(now))
    assert fetched == Fetched(corpus, "sha256", SHA256)
    assert corpus.read_bytes() == CONTENT
    assert left_behind(corpus) == [corpus.name]
    assert len(list(open_named(NAME))) == 3
    assert seen[0][0] == 0
    assert seen[-1] == (len(CONTENT), None if "length" in path else len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) > 3


def test_what_is_there_is_not_fetched_again_unless_forced(server, corpus):
    fetch(NAME, urls=[server.url("good")])
    assert fetch(NAME, urls=[server.url("gone")]) == Fetched(corpus, "present")
    assert len(server.requests) == 1
    assert fetch(NAME, urls=[server.url("good")], force=True).check == "sha256"
    assert len(server.requests) == 2


def test_a_partial_download_is_continued(server, corpus):
    with pytest.raises(FetchError, match=r"broke off after 100,000 of .* resumes .*\.part"):
        fetch(NAME, urls=[server.url("cut")])
    assert not corpus.exists()
    assert part_of(corpus).read_bytes() == CONTENT[:100_000]
    seen = []
    fetched = fetch(NAME, urls=[server.url("good")], progress=lambda *now: seen.append(now))
    assert fetched.check == "sha256"
    assert server.requests[-1] == ("/good", "bytes=100000-")
    assert seen[0] == (100_000, len(CONTENT))
    assert corpus.read_bytes() == CONTENT
    assert left_behind(corpus) == [corpus.name]


def test_a_server_without_ranges_sends_it_all_again(server, corpus):
    corpus.parent.mkdir()
    part_of(corpus).write_bytes(CONTENT[:1000])
    assert fetch(NAME, urls=[server.url("no_ranges")]).check == "sha256"
    assert server.requests == [("/no_ranges", "bytes=1000-")]
    assert corpus.read_bytes() == CONTENT


def test_a_complete_part_needs_no_bytes(server, corpus):
    corpus.parent.mkdir()
    part_of(corpus).write_bytes(CONTENT)
    assert fetch(NAME, urls=[server.url("good")]).check == "sha256"
    assert corpus.read_bytes() == CONTENT


@pytest.mark.parametrize("wrong", [b"x" * 1000, CONTENT + b"more", b"x" * len(CONTENT)])
def test_a_wrong_part_is_thrown_away_and_all_is_fetched(server, corpus, wrong):
    corpus.parent.mkdir()
    part_of(corpus).write_bytes(wrong)
    assert fetch(NAME, urls=[server.url("good")]).check == "sha256"
    assert corpus.read_bytes() == CONTENT
    assert left_behind(corpus) == [corpus.name]


def test_a_range_that_was_not_asked_for_is_refused(server, corpus):
    corpus.parent.mkdir()
    part_of(corpus).write_bytes(CONTENT[:1000])
    with pytest.raises(FetchError, match="sent bytes from 7 on, not from 1,000"):
        fetch(NAME, urls=[server.url("wrong_range")])
    assert left_behind(corpus) == []


def test_interrupting_leaves_what_can_be_continued(server, corpus):
    def interrupt(done: int, total: int | None) -> None:
        if done > 150_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(NAME, urls=[server.url("good")], progress=interrupt)
    kept = part_of(corpus).read_bytes()
    assert len(kept) > 100_000
    assert CONTENT.startswith(kept)
    assert fetch(NAME, urls=[server.url("good")]).check == "sha256"
    assert server.requests[-1] == ("/good", f"bytes={len(kept)}-")


def test_addresses_are_tried_in_order(server, corpus):
    urls = [server.url(path) for path in ("gone", "rude", "html", "good")]
    assert fetch(NAME, urls=urls).check == "sha256"
    assert [path for path, _ in server.requests] == ["/gone", "/rude", "/html", "/good"]


def test_every_failure_is_told(server, corpus):
    urls = [server.url(path) for path in ("gone", "rude", "html")]
    with pytest.raises(FetchError) as info:
        fetch(NAME, urls=urls)
    message = str(info.value)
    other = hashlib.sha256(b"<html>we have moved</html>").hexdigest()
    assert f"{urls[0]}: the server answered 404" in message
    assert f"{urls[1]}: the connection failed" in message
    assert f"{urls[2]}: what came is another file: sha256 expected {SHA256}, got {other}" in message
    assert f"postil corpus fetch {NAME} --from PATH" in message
    assert left_behind(corpus) == []


def test_no_network(server, corpus):
    closed = server.url("good").replace(str(server.server_port), "1")
    with pytest.raises(FetchError, match=r"cannot be reached \(.*refused"):
        fetch(NAME, urls=[closed])


@pytest.mark.parametrize(
    ("path", "most"), [("endless", "1,000,000"), ("endless_in_chunks", "1,000")]
)
def test_a_body_without_end_is_cut_off_and_not_kept(server, corpus, monkeypatch, path, most):
    monkeypatch.setattr(download, "LARGEST_FILE", 1_000_000, raising=False)
    with pytest.raises(FetchError, match=f"more than {most} bytes came"):
        fetch(NAME, urls=[server.url(path)])
    assert left_behind(corpus) == []


def test_a_silent_server(server, corpus):
    with pytest.raises(FetchError, match=r"no answer within 0\.1 seconds"):
        fetch(NAME, urls=[server.url("silent")], timeout=0.1)


def test_without_a_published_sum_the_documents_are_counted(server, unpublished):
    assert fetch(NAME, urls=[server.url("good")]) == Fetched(unpublished, "documents", SHA256)


def test_without_a_published_sum_a_wrong_file_is_refused_too(server, unpublished):
    with pytest.raises(FetchError, match=r"it is not 20 Newsgroups, the original: .*not a tar"):
        fetch(NAME, urls=[server.url("html")])
    assert left_behind(unpublished) == []


def test_a_place_that_cannot_be_made(server, corpus, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path / "file" / "data"))
    with pytest.raises(FetchError, match=r"cannot be made .*set POSTIL_DATA"):
        fetch(NAME, urls=[server.url("good")])


def test_a_part_that_cannot_be_written(server, corpus):
    part_of(corpus).mkdir(parents=True)
    with pytest.raises(FetchError, match=r"\.part: cannot be read"):
        fetch(NAME, urls=[server.url("good")])
    with pytest.raises(FetchError, match=r"\.part: cannot be written"):
        fetch(NAME, urls=[server.url("no_ranges")])


def test_what_has_no_address_says_so(no_corpora):
    with pytest.raises(FetchError, match=r"no address of the file .*fetch arxiv-120k --from PATH"):
        fetch("arxiv-120k")


def test_what_is_shipped_is_not_fetched():
    with pytest.raises(UsageError, match="shipped with postil"):
        fetch("demo")


def test_from_the_published_file(corpus, tmp_path):
    origin = tmp_path / "some copy"
    origin.write_bytes(CONTENT)
    seen = []
    fetched = fetch(NAME, from_path=origin, progress=lambda *now: seen.append(now))
    assert fetched == Fetched(corpus, "sha256", SHA256)
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert left_behind(corpus) == [corpus.name]
    assert origin.exists()


def test_from_a_repacked_file(corpus, tmp_path):
    origin = tmp_path / "repacked.tar"
    origin.write_bytes(packed(ARTICLES, "w"))
    digest = hashlib.sha256(origin.read_bytes()).hexdigest()
    assert fetch(NAME, from_path=origin) == Fetched(corpus, "documents", digest)
    assert len(list(open_named(NAME))) == 3


def test_from_a_folder(corpus, make_folder):
    origin = make_folder(ARTICLES, "unpacked")
    target = corpus.with_name("20_newsgroups")
    assert fetch(NAME, from_path=origin) == Fetched(target, "documents")
    assert left_behind(corpus) == [target.name]
    assert len(list(open_named(NAME))) == 3
    with pytest.raises(FetchError, match="is there already; remove it first"):
        fetch(NAME, from_path=origin, force=True)


def test_what_a_killed_copy_left_is_removed(corpus, tmp_path):
    origin = tmp_path / "some copy"
    origin.write_bytes(CONTENT)
    left = corpus.with_name(f".{corpus.name}.0123abcd.part")
    left.mkdir(parents=True)
    (left / corpus.name).write_bytes(CONTENT[:1000])
    fetch(NAME, from_path=origin)
    assert left_behind(corpus) == [corpus.name]


@pytest.mark.parametrize("link", ["20_newsgroups/sci.space/9", "20_newsgroups/others", "README"])
def test_from_a_folder_with_links_nothing_is_copied(corpus, make_folder, tmp_path, link):
    origin = make_folder(ARTICLES, "unpacked")
    (tmp_path / "secret").mkdir()
    (origin / link).symlink_to(tmp_path / "secret")
    with pytest.raises(FetchError, match=f"{link} is a link.*nothing was kept"):
        fetch(NAME, from_path=origin)
    assert left_behind(corpus) == []


def test_from_a_pipe(corpus, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FetchError, match="pipe: is a pipe or a device; save"):
        fetch(NAME, from_path=tmp_path / "pipe")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (packed(dict(list(ARTICLES.items())[:2])), "has 3 documents, this copy 2"),
        (CONTENT[:50_000], "truncated"),
        (b"nothing", "not a tar archive"),
        (packed({"README": b"x"}), "holds no article"),
    ],
    ids=["too few", "truncated", "no archive", "no article"],  # archives hold the time
)
def test_from_a_wrong_file_nothing_is_kept(corpus, tmp_path, content, reason):
    origin = tmp_path / "wrong"
    origin.write_bytes(content)
    with pytest.raises(FetchError, match=f"{re.escape(reason)}.*nothing was kept"):
        fetch(NAME, from_path=origin)
    assert left_behind(corpus) == []


def test_from_a_wrong_folder_nothing_is_kept(corpus, make_folder):
    with pytest.raises(FetchError, match="holds no article"):
        fetch(NAME, from_path=make_folder({"README": b"x"}))
    assert left_behind(corpus) == []


def test_from_nowhere(corpus, tmp_path):
    with pytest.raises(FetchError, match="no such file or folder"):
        fetch(NAME, from_path=tmp_path / "absent")


def test_from_a_folder_for_what_is_one_file(no_corpora, tmp_path):
    with pytest.raises(FetchError, match="is one file, and this is a folder"):
        fetch("arxiv-120k", from_path=tmp_path)


@pytest.fixture
def real_reuters(corpus_file) -> Path:
    return corpus_file("reuters")


@pytest.mark.corpus
def test_from_the_real_file(real_reuters, no_corpora):
    fetched = fetch("reuters-modapte", from_path=real_reuters)
    assert fetched.path == no_corpora / "reuters21578.tar.gz"
    assert sum(1 for _ in open_named("reuters-modlewis")) == 19_813
