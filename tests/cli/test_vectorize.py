"""`postil vectorize` and `postil analyze`."""

from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse

from postil.corpus.opening import open_corpus
from postil.errors import CorpusError
from postil.vectors.rows import read_vectors
from postil.vectors.svmlight import read_svmlight


def test_npz_opens_with_scipy_and_with_names(postil, tmp_path):
    result = postil("vectorize", "demo", "-o", "demo.npz", "--weights", "glm2004", "--min-df", "2")
    assert result.code == 0
    assert "352 documents" in result.err
    vectors = read_vectors(tmp_path / "demo.npz")
    matrix = scipy.sparse.load_npz(tmp_path / "demo.npz")
    assert (matrix != vectors.matrix).nnz == 0
    assert matrix.dtype == np.float32
    documents = list(open_corpus("demo"))
    assert vectors.ids == [document.id for document in documents]
    assert vectors.splits == [document.split for document in documents]
    assert vectors.label_sets() == [sorted(document.labels) for document in documents]
    assert len(vectors.terms) == matrix.shape[1]


def test_test_documents_teach_nothing(postil, tmp_path):
    rows = [
        {"id": "1", "text": "alpha beta", "split": "train"},
        {"id": "2", "text": "gamma alpha", "split": "test"},
        {"id": "3", "text": "beta", "split": "train"},
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert postil("vectorize", "c.jsonl", "-o", "c.npz", "--weights", "counts").code == 0
    vectors = read_vectors(tmp_path / "c.npz")
    assert vectors.terms == ["beta", "alpha"]
    assert vectors.matrix.shape == (3, 2)


@pytest.mark.parametrize("chunk", ["1", "7", "100000"])
def test_chunks_change_nothing(postil, tmp_path, chunk):
    postil("vectorize", "demo", "-o", "a.npz", "--weights", "tfidf")
    postil("vectorize", "demo", "-o", "b.npz", "--weights", "tfidf", "--chunk", chunk)
    first, second = read_vectors(tmp_path / "a.npz"), read_vectors(tmp_path / "b.npz")
    assert first.terms == second.terms
    assert (first.matrix != second.matrix).nnz == 0


def test_fields_apart_and_svmlight(postil, tmp_path):
    fields = ("--field", "title", "--field", "body", "--apart", "--constant")
    weights = ("--weights", "binary", "--norm", "none")
    result = postil("vectorize", "demo", "-o", "d.svm", *fields, *weights)
    assert result.code == 0
    data = read_svmlight(tmp_path / "d.svm")
    assert data.vectors.shape[0] == 352
    lines = (tmp_path / "d.svm.terms.tsv").read_text(encoding="utf-8").splitlines()
    names = [json.loads(line.split("\t")[1]) for line in lines]
    assert {name.split(":")[0] for name in names} == {"title", "body"}
    assert (tmp_path / "d.svm.labels.tsv").read_text().startswith('0\t"business"\n')


def test_reads_a_pipe_in_one_pass(postil, tmp_path):
    stream = b'{"text": "one two"}\n{"text": "two three"}\n'
    assert postil("vectorize", "-", "-o", "p.npz", stdin=stream).code == 0
    assert read_vectors(tmp_path / "p.npz").matrix.shape == (2, 3)


def test_hashing_needs_no_vocabulary(postil, tmp_path):
    assert postil("vectorize", "demo", "-o", "h.npz", "--buckets", "1024").code == 0
    vectors = read_vectors(tmp_path / "h.npz")
    assert vectors.matrix.shape == (352, 1024)
    assert vectors.terms == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x"), "the format is not clear from the name"),
        (("-o", "x.npz", "--weights", "tf-idf"), "one of binary, counts"),
        (("-o", "x.npz", "--min-df", "many"), "--min-df is a whole number"),
        (("-o", "x.npz", "--apart"), "two or more"),
        (("-o", "x.npz", "--threads", "0"), "from 1 to"),
        (("-o", "no/such/folder/x.npz"), "no/such/folder"),
    ],
)
def test_wrong_usage_says_the_way_out(postil, arguments, message):
    result = postil("vectorize", "demo", *arguments)
    assert result.code == 2
    assert message in result.err


def test_a_field_no_document_has_is_an_error(postil, tmp_path):
    result = postil("vectorize", "demo", "-o", "x.npz", "--field", "headline")
    assert result.code == 1
    assert "no document has the field headline; there are: body, title" in result.err
    assert not (tmp_path / "x.npz").exists()


def test_a_corpus_without_words_is_an_error(postil, tmp_path):
    (tmp_path / "e.jsonl").write_text('{"text": "   "}\n{"text": "!!"}\n')
    result = postil("vectorize", "e.jsonl", "-o", "e.npz")
    assert result.code == 1
    assert "no terms in 2 documents" in result.err


def test_analyze_shows_tokens(postil):
    shown = postil("analyze", "The Ferries sailed", "-a", "words lower stop(sklearn) stem(porter)")
    assert shown.out == "ferri | sail\n"
    piped = postil("analyze", "--json", stdin="Über uns\n".encode())
    assert json.loads(piped.out) == {"analyzer": "words lower", "tokens": ["über", "uns"]}


def test_analyze_explains_every_item(postil):
    shown = postil("analyze", "--explain").out
    for item in ("words", "chars", "fold-accents", "ngrams", "snowball:LANG", "porter"):
        assert item in shown


def test_documents_without_a_split_among_marked_ones_are_told_of(postil, tmp_path):
    rows = [{"text": "alpha", "split": "train"}, {"text": "beta", "split": "dev"}]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = postil("vectorize", "d.jsonl", "-o", "d.npz")
    assert "the vocabulary includes 1 document marked neither train nor test" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.npz", "--buckets", "7", "--min-df", "3"), "hash buckets have none"),
        (("-o", "x.svm", "--compress"), "--compress is for .npz"),
        (("-o", "x.npz", "--split", "test"), "marked test are not used"),
        (("-o", "x.npz", "--min-df", "1000"), "more than the number of documents (252): lower it"),
    ],
)
def test_options_that_would_mean_nothing_are_refused(postil, arguments, message):
    result = postil("vectorize", "demo", *arguments)
    assert result.code == 2
    assert message in result.err


def test_one_split_has_the_columns_of_the_other(postil, tmp_path):
    assert postil("vectorize", "demo", "-o", "all.npz").code == 0
    whole = read_vectors(tmp_path / "all.npz")
    for split, documents in (("train", 252), ("test", 100)):
        told = postil("vectorize", "demo", "-o", f"{split}.npz", "--only", split)
        assert told.code == 0
        assert f"wrote {documents} documents" in told.err
        part = read_vectors(tmp_path / f"{split}.npz")
        rows = [row for row, each in enumerate(whole.splits) if each == split]
        assert (part.terms, part.categories) == (whole.terms, whole.categories)
        assert part.ids == [whole.ids[row] for row in rows]
        assert part.label_sets() == [whole.label_sets()[row] for row in rows]
        assert (part.matrix != whole.matrix[rows]).nnz == 0
    (tmp_path / "unmarked.jsonl").write_text('{"text": "snow", "labels": ["a"]}')
    refused = postil("vectorize", "unmarked.jsonl", "-o", "x.npz", "--only", "test")
    assert refused.code == 2
    assert "no document is marked test" in refused.err


def test_svmlight_says_what_it_does_not_keep(postil, tmp_path):
    told = postil("vectorize", "demo", "-o", "demo.svm")
    assert "does not mark the 100 documents of the test split: write one with --only" in told.err
    assert "marked test" not in postil("vectorize", "demo", "-o", "t.svm", "--only", "test").err
    before = set(tmp_path.iterdir())
    piped = postil("vectorize", "demo", "-o", "-", "--to", "svmlight")
    assert piped.code == 0
    assert piped.out.encode() == (tmp_path / "demo.svm").read_bytes()
    assert set(tmp_path.iterdir()) == before


def test_vectors_of_our_own_are_known_where_documents_are_wanted(postil):
    assert postil("vectorize", "demo", "-o", "demo.npz").code == 0
    result = postil("train", "demo.npz", "-o", "m.postil")
    assert result.code == 1
    assert "vectors are learned from as svmlight" in result.err


def test_a_damaged_file_gets_one_error(postil, tmp_path):
    (tmp_path / "c.csv").write_text("text,label\nalpha beta,a\nbeta,b\ngamma,a\n")
    assert postil("vectorize", "c.csv", "-o", "c.npz", "--compress").code == 0
    content = (tmp_path / "c.npz").read_bytes()
    damaged = tmp_path / "damaged.npz"
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 255
        damaged.write_bytes(changed)
        with suppress(CorpusError):  # a date, say, changes nothing
            assert read_vectors(damaged).matrix.shape == (3, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"indices": np.array([0, 10**9, 1, 2], np.int32)},
        {"label_indices": np.array([0, 7, 0], np.int32)},
        {"label_indptr": np.array([0, 10**8, 2, 3])},
        {"split": np.zeros(2, np.uint8)},
        {"ids_ends": np.array([1], np.int64)},
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(postil, tmp_path, change):
    (tmp_path / "c.csv").write_text("text,label\nalpha beta,a\nbeta,b\ngamma,a\n")
    assert postil("vectorize", "c.csv", "-o", "c.npz").code == 0
    with np.load(tmp_path / "c.npz") as stored:
        np.savez(tmp_path / "c.npz", **dict(stored) | change)
    with pytest.raises(CorpusError, match=r"c\.npz: the file is damaged"):
        read_vectors(tmp_path / "c.npz")
