"""RCV1-v2: token files, topics, the sample, and what is wrong with copies."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.corpus.document import Document, Problems
from postil.corpus.named import rcv1 as rcv1_sample
from postil.corpus.named import registry, smart_records
from postil.corpus.named.rcv1 import (
    FIRST_TEST_DOCUMENT,
    TOKEN_FILES,
    TOPICS_FILE,
    rcv1,
    read_topics,
    sample_bar,
    sample_key,
)
from postil.corpus.named.registry import NAMES, open_named
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

TRAIN = "lyrl2004_tokens_train.dat"
TEST = [name for name in TOKEN_FILES if "test" in name]
FIRST_TEST = [FIRST_TEST_DOCUMENT + number for number in range(4)]


def record(number: object, *lines: str) -> str:
    return f".I {number}\n.W\n" + "".join(f"{line}\n" for line in lines) + "\n"


def collection(**changed: str) -> dict[str, bytes]:
    """Two training documents, and one in each of the test files."""
    topics = "ECAT 2286 1\nE11 2286 1\nCCAT 2287 1\n"
    files = {
        TOPICS_FILE: topics + "".join(f"GCAT {number} 1\n" for number in FIRST_TEST),
        TRAIN: record(2286, "recov  recov", "excit") + record(2287, "oil"),
    }
    files |= {name: record(n, f"tok{n}") for name, n in zip(TEST, FIRST_TEST, strict=True)}
    names = {"topics": TOPICS_FILE, "train": TRAIN, "test": TEST[0]}
    files |= {names[key]: content for key, content in changed.items()}
    return {name: content.encode("latin-1") for name, content in files.items()}


class TestReading:
    def test_documents(self, store, read):
        documents, problems = read(rcv1(store(collection())))
        assert sorted(documents, key=lambda document: document.id) == [
            Document("2286", {"body": "recov recov excit"}, ("ECAT", "E11"), "train"),
            Document("2287", {"body": "oil"}, ("CCAT",), "train"),
            *(Document(str(n), {"body": f"tok{n}"}, ("GCAT",), "test") for n in FIRST_TEST),
        ]
        assert problems.count == 0

    def test_packed_files_in_folders(self, store, read):
        packed = {f"x/{n}.gz": gzip.compress(content) for n, content in collection().items()}
        assert len(read(rcv1(store(packed)))[0]) == 6

    def test_a_file_kept_beside_its_packed_copy_is_read_once(self, make_folder, read):
        files = collection()
        both = files | {f"{name}.gz": gzip.compress(text) for name, text in files.items()}
        assert len(read(rcv1(make_folder(both)))[0]) == 6

    def test_the_order_of_judgements_does_not_matter(self, make_folder, read):
        lines = collection()[TOPICS_FILE].decode().splitlines(keepends=True)
        path = make_folder(collection(topics="\n" + "".join(reversed(lines)) + lines[0]))
        labels = {document.id: document.labels for document in read(rcv1(path))[0]}
        assert labels["2286"] == ("E11", "ECAT")
        assert labels["2287"] == ("CCAT",)

    def test_windows_line_ends_and_no_tokens(self, make_folder, read):
        train = (record(2286) + record(2287, "a b", "c")).replace("\n", "\r\n")
        documents, _ = read(rcv1(make_folder(collection(train=train))))
        assert [d.fields["body"] for d in documents if d.split == "train"] == ["", "a b c"]

    def test_through_the_registry(self, make_folder, monkeypatch):
        small = replace(NAMES["rcv1-v2"], sizes=frozenset({6}))
        monkeypatch.setitem(registry.NAMES, "rcv1-v2", small)
        path = make_folder(collection())
        corpus = open_named("rcv1-v2", path=path)
        assert len(list(corpus)) == len(list(corpus)) == 6
        assert sum(1 for _ in corpus.only("test")) == 4
        (path / TEST[3]).write_text("")
        with pytest.raises(DocumentError, match=r"test_pt3\.dat line 1: holds no record"):
            list(corpus)


class TestBadInput:
    @pytest.mark.parametrize("missing", [TOPICS_FILE, TRAIN, TEST[2]])
    def test_a_missing_file_is_told_before_any_document(self, store, missing):
        files = {name: content for name, content in collection().items() if name != missing}
        with pytest.raises(CorpusError) as info:
            next(rcv1(store(files))(Problems()))
        assert f"lacks {missing} (plain or .gz) of RCV1-v2; get what is missing from http" in str(
            info.value
        )

    @pytest.mark.parametrize(
        ("train", "where", "message"),
        [
            (".I 2286\n\n.I 2287\n.W\na\n\n", 1, "document 2286 has no .W, so it is cut off"),
            (record(2286, "a") + ".I 2287\n.W\nb c", 5, "the file ends inside document 2287"),
            (record(2286, "a") + ".I 2287\n", 5, "document 2287 has no .W"),
            (
                record(2286, "a") + record(2286, "b"),
                5,
                "document 2286 was read before, as document",
            ),
            (record(2286, "a") + record("x7", "b"), 5, "a whole number behind .I, received 'x7'"),
            (record("9" * 19, "b"), 1, "is too large"),
            (record("", "b"), 1, "the record has no number behind .I"),
            (record(2286, "a", ".T", "b"), 4, "there is no field .T; fields are .W"),
            (record(2286, "a", ".W", "b"), 4, "the record has the field .W twice"),
            (".I 2286\na\n.W\nb\n\n", 1, "text before the first field of the record"),
            ("a\n" + record(2286, "a"), 1, "there is text before the first .I"),
            (".W\n" + record(2286, "a"), 1, "there is text before the first .I"),
            (record(2299, "a"), 1, f"document 2299 has no topic in {TOPICS_FILE}"),
        ],
    )
    def test_bad_records(self, make_folder, read, train, where, message):
        path = make_folder(collection(train=train))
        with pytest.raises(DocumentError) as info:
            read(rcv1(path))
        assert info.value.source == str(path)
        assert info.value.position == f"{TRAIN} line {where}"
        assert message in str(info.value)
        documents, problems = read(rcv1(path), "skip")
        assert problems.count == 1
        assert sum(1 for document in documents if document.split == "test") == 4

    @pytest.mark.parametrize(
        "line", ["ECAT 2286", "ECAT 2286 0", "ECAT x 1", f"E {'9' * 19} 1", "a b 2286 1"]
    )
    def test_bad_judgements(self, make_folder, read, line):
        path = make_folder(collection(topics=f"{line}\n" + collection()[TOPICS_FILE].decode()))
        with pytest.raises(DocumentError, match=r"qrels line 1: must be TOPIC DOCUMENT 1, rec"):
            read(rcv1(path))
        documents, problems = read(rcv1(path), "skip")
        assert (len(documents), problems.count) == (6, 1)

    @pytest.mark.parametrize("name", [TOPICS_FILE, TRAIN])
    def test_damaged_compression(self, make_folder, read, name):
        files = collection()
        content = gzip.compress(files.pop(name) * 1000)
        path = make_folder(files | {f"{name}.gz": content[:-20]})
        with pytest.raises(CorpusError, match=rf"{name}\.gz: the gzip data end too early"):
            read(rcv1(path), "skip")

    @pytest.mark.parametrize("line", ["token", ".5 percent"])
    def test_a_record_without_end_does_not_fill_the_memory(
        self, line, make_folder, read, monkeypatch
    ):
        monkeypatch.setattr(smart_records, "LARGEST_RECORD", 100)
        path = make_folder(collection(train=record(2286, *[line] * 50) + record(2287, "b")))
        documents, problems = read(rcv1(path), "skip")
        assert "the record has more than 100 bytes" in str(problems.first[0])
        assert [d.id for d in documents if d.split == "train"] == ["2287"]

    def test_a_file_that_cannot_be_read(self, make_folder, read):
        path = make_folder(collection())
        (path / TRAIN).unlink()
        (path / TRAIN).symlink_to("nowhere")
        with pytest.raises(DocumentError, match=f"{TRAIN}: cannot be read"):
            read(rcv1(path))
        documents, problems = read(rcv1(path), "skip")
        assert (len(documents), problems.count) == (4, 1)


class TestSample:
    def test_training_documents_stay_and_test_documents_are_chosen(
        self, make_folder, read, monkeypatch
    ):
        monkeypatch.setattr(rcv1_sample, "SIZE", 2)
        documents, _ = read(rcv1(make_folder(collection()), sample=True))
        expected = sorted(map(str, sorted(FIRST_TEST, key=sample_key)[:2]))
        assert [d.id for d in documents if d.split == "test"] == expected
        assert sum(1 for document in documents if document.split == "train") == 2

    def test_keys_are_what_they_were(self):
        # Another key is another sample: results would not compare.
        assert sample_key(26_151) == 0x4A8ED0BF79B2646

    @given(st.sets(st.integers(2_286, 900_000), max_size=300), st.integers(1, 200))
    def test_a_sample_has_its_size_and_only_test_documents_count(self, documents, size):
        tested = [document for document in documents if document >= FIRST_TEST_DOCUMENT]
        bar = sample_bar(documents, size)
        kept = [document for document in tested if sample_key(document) <= bar]
        assert len(kept) == min(size, len(tested))

    def test_a_sample_is_spread_evenly(self):
        documents = range(FIRST_TEST_DOCUMENT, FIRST_TEST_DOCUMENT + 20_000)
        bar = sample_bar(documents, 2_000)
        first_half = sum(sample_key(document) <= bar for document in documents[:10_000])
        assert 900 < first_half < 1_100

    def test_sizes(self):
        assert NAMES["rcv1-v2"].sizes == {804_414}
        assert NAMES["rcv1-v2-sample"].sizes == {23_149 + 77_993}


@given(st.lists(st.tuples(st.integers(0, 10**18 - 1), st.sampled_from("ABCDE")), max_size=60))
def test_topics_are_those_given(pairs):
    expected: dict[int, dict[str, None]] = {}
    for document, topic in pairs:
        expected.setdefault(document, {})[topic] = None
    found = topics_in("".join(f"{topic} {document} 1\n" for document, topic in pairs))
    assert found == {document: tuple(topics) for document, topics in expected.items()}


def topics_in(judgements: str):
    return read_topics(io.BytesIO(judgements.encode()), pytest.fail)


def test_equal_topics_are_one_object():
    found = topics_in("A 1 1\nB 1 1\nA 900 1\nB 900 1\n")
    assert found[1] is found[900]


def test_an_incomplete_copy_is_told_at_its_end(make_folder):
    corpus = open_named("rcv1-v2", ReadOptions(on_error="skip"), path=make_folder(collection()))
    assert len(list(corpus)) == 6
    assert "rcv1-v2 has 804,414 documents, this copy 6" in str(corpus.problems.first[0])


def test_an_absent_corpus_names_its_files(no_corpora):
    with pytest.raises(CorpusError) as info:
        open_named("rcv1-v2-sample")
    for name in (*TOKEN_FILES, TOPICS_FILE):
        assert name in str(info.value)
    assert "nor a folder rcv1-v2 with" in str(info.value)
    assert "see http://www.jmlr.org/" in str(info.value)
