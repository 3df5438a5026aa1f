"""OHSUMED: records, headings, years, lists of categories, and what is wrong with copies."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.corpus.document import Document
from postil.corpus.named import registry
from postil.corpus.named.ohsumed import headings_of, ohsumed
from postil.corpus.named.registry import NAMES, open_named
from postil.errors import CorpusError, DocumentError, UsageError

FIELDS = {
    ".S": "Imaginary J Med 8701; 1(2):3-4",
    ".M": "Human; Heart Arrest/*TH; Tea/*.",
    ".T": "A title.",
    ".P": "JOURNAL ARTICLE.",
    ".W": "An abstract.",
    ".A": "Nobody N; Noone O.",
}


def record(number: int, identity: str, **changed: str | None) -> str:
    """A record; ``T=""`` empties the field .T and ``T=None`` leaves it out."""
    fields = {".U": identity, **FIELDS, **{f".{tag}": text for tag, text in changed.items()}}
    lines = [f".I {number}"]
    for tag, text in fields.items():
        if text is not None:
            lines += [tag, *([text] if text else [])]
    return "\n".join(lines) + "\n"


YEARS = ("87", "88", "89", "90", "91")


def by_year(**changed: str) -> dict[str, bytes]:
    """A record in each of five files."""
    files = {f"ohsumed.{year}": record(int(year), f"{year}000001") for year in YEARS}
    files |= {f"ohsumed.{name.strip('_')}": text for name, text in changed.items()}
    return {name: text.encode("latin-1") for name, text in files.items()}


def in_two(last: str = "") -> dict[str, bytes]:
    later = "".join(record(int(year), f"{year}000001") for year in YEARS[1:])
    return {
        "ohsu-trec/trec9-train/ohsumed.87": record(1, "87000001").encode(),
        "ohsu-trec/trec9-test/ohsumed.88-91": (later + last).encode(),
        "ohsu-trec/pre-test/query.ohsu.test.1-43": b"<top>\n",
    }


class TestReading:
    @pytest.mark.parametrize("files", [by_year(), in_two()], ids=["years", "two files"])
    def test_documents_and_splits(self, store, read, files):
        documents, problems = read(ohsumed(store(files)))
        labels, fields = ("Human", "Heart Arrest", "Tea"), {"title": "A title."}
        assert sorted(documents, key=lambda document: document.id) == [
            Document(
                f"{year}000001",
                {**fields, "body": "An abstract."},
                labels,
                "train" if year in {"87", "88"} else "test",
            )
            for year in YEARS
        ]
        assert problems.count == 0

    def test_packed_files(self, store, read):
        packed = {f"{name}.gz": gzip.compress(text) for name, text in by_year().items()}
        assert len(read(ohsumed(store(packed)))[0]) == 5

    @pytest.mark.parametrize("empty", ["T", "W", "M"])
    @pytest.mark.parametrize("text", ["", None])
    def test_records_without_a_used_field_are_left_out(self, make_folder, read, empty, text):
        left_out = record(2, "87000002", **{empty: text})
        path = make_folder(by_year(_87=left_out + record(1, "87000001")))
        documents, problems = read(ohsumed(path))
        assert documents[0].id == "87000001"
        assert len(documents) == 5
        assert problems.count == 0

    def test_fields_that_are_not_used_may_be_absent(self, make_folder, read):
        path = make_folder(by_year(_87=record(1, "87000001", S=None, P="", A=None)))
        assert len(read(ohsumed(path))[0]) == 5

    def test_long_fields_latin1_and_lines_that_only_look_like_tags(self, make_folder, read):
        text = record(1, "87000001", W="caf\xe9\x00 p\n.05 level\n.I.\n.WW\nend", T="a\r\nb ")
        documents, _ = read(ohsumed(make_folder(by_year(_87=text))))
        assert documents[0].fields == {"title": "a b", "body": "café  p .05 level .I. .WW end"}

    def test_through_the_registry(self, make_folder, monkeypatch):
        small = replace(NAMES["ohsumed"], sizes=frozenset({5}))
        monkeypatch.setitem(registry.NAMES, "ohsumed", small)
        corpus = open_named("ohsumed", path=make_folder(by_year()))
        assert len(list(corpus)) == len(list(corpus)) == 5
        assert sum(1 for _ in corpus.only("train")) == 2
        with pytest.raises(UsageError, match="categories must be one of listed, all"):
            open_named("ohsumed", None, {"categories": "some"}, path=make_folder(by_year()))


class TestHeadings:
    @pytest.mark.parametrize(
        ("field", "headings"),
        [
            ("Human.", ("Human",)),
            ("Human", ("Human",)),
            ("A/*; *B/CO/DI; C; A/TH.", ("A", "B", "C")),
            ("Support, U.S. Gov't, P.H.S..", ("Support, U.S. Gov't, P.H.S.",)),
            ("Support, U.S. Gov't, P.H.S.; Tea.", ("Support, U.S. Gov't, P.H.S.", "Tea")),
            (" ; /X ;*.", ()),
            (".", ()),
            ("", ()),
        ],
    )
    def test_headings(self, field, headings):
        assert headings_of(field) == headings

    @given(st.lists(st.from_regex(r"\A[A-Z][a-z, -]{0,9}[a-z]\Z"), unique=True, min_size=1))
    def test_what_was_written_is_read(self, headings):
        marked = "; ".join(f"{heading}/*DI/TH" for heading in headings) + "."
        assert headings_of(marked) == tuple(headings)


class TestCategories:
    def test_a_list_in_the_folder(self, make_folder, read):
        path = make_folder({**by_year(), "categories.txt": b"\xef\xbb\xbfTea\r\n\n Tea \nHuman\n"})
        assert {d.labels for d in read(ohsumed(path))[0]} == {("Human", "Tea")}
        everything = read(ohsumed(path, categories="all"))[0]
        assert {d.labels for d in everything} == {("Human", "Heart Arrest", "Tea")}

    def test_a_list_beside_the_archive(self, make_tar, read):
        path = make_tar(in_two())
        path.with_name("ohsumed-categories.txt").write_text("Tea\n")
        assert {d.labels for d in read(ohsumed(path))[0]} == {("Tea",)}

    def test_documents_without_a_listed_heading_stay(self, make_folder, read):
        other = by_year(_87=record(1, "87000001", M="Milk."))
        documents, _ = read(ohsumed(make_folder({**other, "categories.txt": b"Milk\n"})))
        assert [d.labels for d in documents] == [("Milk",), (), (), (), ()]

    def test_a_heading_that_no_document_has_is_told(self, make_folder, read):
        path = make_folder({**by_year(), "categories.txt": b"Tea\ntea\n"})
        with pytest.raises(DocumentError, match=r"txt, line 2: no document has the heading 'tea'"):
            read(ohsumed(path))
        documents, problems = read(ohsumed(path), "skip")
        assert (len(documents), problems.count) == (5, 1)

    def test_a_list_that_is_a_pipe(self, make_folder, read):
        path = make_folder(by_year())
        os.mkfifo(path / "categories.txt")
        with pytest.raises(CorpusError, match=r"categories\.txt: is no file"):
            read(ohsumed(path))

    @pytest.mark.parametrize(
        ("content", "message"),
        [(b"\n", "holds no heading"), (b"\xff\n", "cannot be read as UTF-8")],
    )
    def test_a_bad_list(self, make_folder, read, content, message):
        path = make_folder({**by_year(), "categories.txt": content})
        with pytest.raises(CorpusError, match=rf"categories\.txt: {message}"):
            read(ohsumed(path))


class TestBadInput:
    @pytest.mark.parametrize(
        ("second", "where", "message"),
        [
            (record(2, ""), 15, "record 2 has no Medline id (.U); get the file again"),
            (record(2, "87000002", X="?"), 30, "no field .X; fields are .A .M .P .S .T .U .W"),
            (record(2, "87000001"), 15, "the Medline id 87000001 was read before, in document 1"),
            (".I 2\n", 15, "record 2 has no Medline id"),
            (".I 2\n.U\n87000002\n.M\nTea.\n.T\nCut in the ti", 15, "file ends inside record 2"),
            (".I 2\nloose\n.U\n8\n", 15, "text before the first field"),
            (".I\n.U\n87000002\n", 15, "no number behind .I"),
        ],
    )
    def test_bad_records(self, make_folder, read, second, where, message):
        first = record(1, "87000001").removesuffix("Nobody N; Noone O.\n")
        path = make_folder(by_year(_87=first + second))
        with pytest.raises(DocumentError) as info:
            read(ohsumed(path))
        assert info.value.position == f"ohsumed.87 line {where}"
        assert message in str(info.value)
        documents, problems = read(ohsumed(path), "skip")
        assert (len(documents), problems.count) == (5, 1)

    def test_a_file_that_ends_in_the_authors_has_all_that_is_used(self, make_folder, read):
        text = record(1, "87000001").removesuffix("\n")
        assert len(read(ohsumed(make_folder(by_year(_87=text))))[0]) == 5

    def test_the_year_of_a_record_in_the_common_file(self, make_folder, read):
        path = make_folder(in_two(record(9, "92000001")))
        with pytest.raises(
            DocumentError, match=r"its year \(88, 89, 90, 91\), received '92000001'"
        ):
            read(ohsumed(path))
        assert len(read(ohsumed(path), "skip")[0]) == 5

    def test_two_files_with_the_same_year(self, make_folder, read):
        with pytest.raises(CorpusError, match=r"hold the records of 1988; keep one of them"):
            read(ohsumed(make_folder({**by_year(), **in_two()})))

    def test_a_missing_year(self, make_folder, read):
        files = by_year()
        del files["ohsumed.90"]
        path = make_folder(files)
        with pytest.raises(
            DocumentError, match=r"no file with the records of 1990; add ohsumed\.90"
        ):
            read(ohsumed(path))
        assert len(read(ohsumed(path), "skip")[0]) == 4

    def test_no_file_at_all(self, store, read):
        with pytest.raises(CorpusError, match=r"holds no file of OHSUMED; expected ohsumed\.87"):
            read(ohsumed(store({"README": b"x"})))

    def test_damaged_compression(self, make_folder, read):
        files = by_year()
        content = bytearray(gzip.compress(files.pop("ohsumed.87") * 500))
        content[len(content) // 2] ^= 0xFF
        path = make_folder({**files, "ohsumed.87.gz": bytes(content)})
        with pytest.raises(CorpusError, match=r"ohsumed\.87\.gz"):
            read(ohsumed(path), "skip")

    @pytest.mark.usefixtures("no_corpora")
    def test_an_absent_corpus_says_how_to_get_it(self):
        with pytest.raises(CorpusError) as info:
            open_named("ohsumed")
        assert "no ohsumed.tar.gz, nor a folder ohsumed with ohsumed.87, ohs" in str(info.value)
        assert "postil corpus fetch ohsumed" in str(info.value)
