"""The LYRL2004 vector files: read with their topics, and told where they are wrong."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.corpus.named import rcv1 as rcv1_sample
from postil.corpus.named.rcv1 import FIRST_TEST_DOCUMENT, sample_key
from postil.errors import CorpusError, DocumentError, UsageError
from postil.vectors.lyrl2004 import TERMS, VECTOR_FILES, read_lyrl2004

TRAIN = VECTOR_FILES["train"][0]
TOPICS = "rcv1-v2.topics.qrels"
TESTED = [FIRST_TEST_DOCUMENT + number for number in range(8)]


@pytest.fixture
def folder(tmp_path):
    """Two training documents and two in each test file."""
    (tmp_path / TOPICS).write_text(
        "E11 2286 1\nECAT 2286 1\nCCAT 2287 1\n" + "".join(f"GCAT {n} 1\n" for n in TESTED)
    )
    (tmp_path / TRAIN).write_text("2286  864:0.25 1523:0.5\n2287  1:1 47236:0.125\n")
    for part, name in enumerate(VECTOR_FILES["test"]):
        lines = [f"{n}  {n - 26150}:0.5\n" for n in TESTED[2 * part : 2 * part + 2]]
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


class TestReading:
    def test_training_documents(self, folder):
        data = read_lyrl2004(folder, "train")
        assert data.ids == ["2286", "2287"]
        assert data.labels == [("E11", "ECAT"), ("CCAT",)]
        assert data.vectors.shape == (2, TERMS)
        assert data.vectors.dtype == np.float32
        assert data.vectors.indices.dtype == np.int32
        assert data.vectors.indices.tolist() == [863, 1522, 0, 47235]
        assert data.vectors.data.tolist() == [0.25, 0.5, 1, 0.125]

    def test_test_documents_come_in_the_order_of_the_files(self, folder):
        data = read_lyrl2004(folder, "test")
        assert data.ids == [str(number) for number in TESTED]
        assert data.vectors.shape == (8, TERMS)
        assert data.vectors.indices.tolist() == list(range(8))
        assert all(labels is data.labels[0] for labels in data.labels)

    def test_packed_files(self, folder):
        for path in list(folder.iterdir()):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        assert read_lyrl2004(folder, "test").ids == [str(number) for number in TESTED]

    def test_the_sample_is_that_of_the_corpus(self, folder, monkeypatch):
        monkeypatch.setattr(rcv1_sample, "SIZE", 3)
        data = read_lyrl2004(folder, "test", sample=True)
        kept = sorted(sorted(TESTED, key=sample_key)[:3])
        assert data.ids == [str(number) for number in kept]
        assert data.vectors.indices.tolist() == [number - 26151 for number in kept]
        assert len(data.labels) == 3
        assert len(read_lyrl2004(folder, "train", sample=True).ids) == 2

    def test_topics_from_elsewhere(self, folder, tmp_path):
        (folder / TOPICS).rename(tmp_path / "mine")
        assert len(read_lyrl2004(folder, "train", qrels=tmp_path / "mine").ids) == 2

    def test_a_document_without_terms(self, folder):
        (folder / TRAIN).write_text("2286\n2287  1:1\n")
        assert read_lyrl2004(folder, "train").vectors.getnnz(axis=1).tolist() == [0, 1]

    @settings(max_examples=30, deadline=None)
    @given(
        st.lists(
            st.dictionaries(
                st.integers(1, 50), st.floats(0.0625, 1, width=32), min_size=1, max_size=9
            ),
            min_size=1,
            max_size=8,
        )
    )
    def test_what_was_written_is_read(self, tmp_path_factory, rows):
        place = tmp_path_factory.mktemp("lyrl2004")
        expected = np.zeros((len(rows), 50), np.float32)
        lines, judgements = [], []
        for number, row in enumerate(rows):
            cells = " ".join(f"{term}:{row[term]!r}" for term in sorted(row))
            lines.append(f"{2286 + number}  {cells}\n")
            judgements.append(f"T{number % 3} {2286 + number} 1\n")
            for term, weight in row.items():
                expected[number, term - 1] = weight
        (place / TRAIN).write_text("".join(lines))
        (place / TOPICS).write_text("".join(judgements))
        data = read_lyrl2004(place, "train", terms=50)
        assert (data.vectors.toarray() == expected).all()
        assert data.labels == [(f"T{number % 3}",) for number in range(len(rows))]


class TestBadInput:
    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("2299  1:1", "document 2: document 2299 has no topic in rcv1-v2.topics.qrels"),
            ("2286  1:1", "document 2: document 2286 was read before"),
            ("1:1 2:1", "document 2: a line must begin with a document's number.*received none"),
            ("2286,5  1:1", "document 2: a line must begin with.*received 5,2286"),
            ("-7  1:1", "document 2: a line must begin with.*received -7"),
            ("x  1:1", "line 2: "),
            ("2287  2:1 1:1", "line 2: term number 1 follows 2"),
            ("2287  0:1", "line 2: has a term number 0"),
            ("2287  1:nan", "line 2: the weight of a term is nan"),
            ("2287  1:0.5 2:", "line 2: '2:' is not a term number"),
        ],
    )
    def test_bad_lines(self, folder, line, message):
        (folder / TRAIN).write_text(f"2286  1:1\n{line}\n")
        with pytest.raises(DocumentError, match=rf"{TRAIN}, {message}"):
            read_lyrl2004(folder, "train")

    def test_more_terms_than_columns(self, folder):
        with pytest.raises(UsageError, match="47236 terms, more than terms=2000"):
            read_lyrl2004(folder, "train", terms=2000)

    @pytest.mark.parametrize("missing", [TOPICS, VECTOR_FILES["test"][1]])
    def test_a_missing_file(self, folder, missing):
        (folder / missing).unlink()
        with pytest.raises(CorpusError, match=rf"lacks {missing} \(plain or \.gz\) of RCV1-v2"):
            read_lyrl2004(folder, "test")

    def test_bad_topics(self, folder):
        (folder / TOPICS).write_text("ECAT 2286\n")
        with pytest.raises(DocumentError, match=r"qrels, line 1: must be TOPIC DOCUMENT 1"):
            read_lyrl2004(folder, "train")

    def test_damaged_compression(self, folder):
        content = gzip.compress((folder / TRAIN).read_bytes() * 100)
        (folder / TRAIN).unlink()
        (folder / f"{TRAIN}.gz").write_bytes(content[:-10])
        with pytest.raises(CorpusError, match="the gzip data end too early"):
            read_lyrl2004(folder, "train")
