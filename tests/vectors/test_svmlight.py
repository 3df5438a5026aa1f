"""svmlight files: read, written, read back, and told where they are wrong."""

from __future__ import annotations

import gzip
import io
import sys

import numpy as np
import pytest
import scipy.sparse as sp
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from postil.corpus.files import textlines
from postil.errors import CorpusError, DocumentError, UsageError
from postil.vectors import svmlight as writing
from postil.vectors.svmlight import read_svmlight, write_svmlight

TEXT = b"""# made by hand
1,5,7 1:0.5 3:2 # three labels
  2:1.5

0 qid:4 3:-1e-3
7
"""


@pytest.fixture
def file(tmp_path):
    def write(content, name="data.svm"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


class TestReading:
    def test_labels_weights_comments_and_qid(self, file):
        data = read_svmlight(file(TEXT))
        assert data.labels == [("1", "5", "7"), (), ("0",), ("7",)]
        expected = np.array([[0.5, 0, 2], [0, 1.5, 0], [0, 0, -1e-3], [0, 0, 0]], np.float32)
        assert (data.vectors.toarray() == expected).all()
        assert data.vectors.dtype == np.float32
        assert data.vectors.indices.dtype == np.int32
        assert data.vectors.has_sorted_indices
        assert not data.zero_based

    @pytest.mark.parametrize("names", [["no", "yes"], {0: "no", 1: "yes"}])
    def test_names_for_numbers(self, file, names):
        data = read_svmlight(file(b"1 1:1\n0,1 1:1\n"), label_names=names)
        assert data.labels == [("yes",), ("no", "yes")]

    def test_signed_fractional_and_repeated_labels(self, file):
        data = read_svmlight(file(b"+1 1:1\n-1 1:1\n0.5 1:1\n2,2.0 1:1\n"))
        assert data.labels == [("1",), ("-1",), ("0.5",), ("2",)]

    def test_counting_from_zero_is_seen_or_said(self, file):
        from_zero, from_one = file(b"1 0:1 2:3\n", "a"), file(b"1 1:1 3:3\n", "b")
        for path, zero_based in [(from_zero, True), (from_one, False)]:
            for said in ("auto", zero_based):
                data = read_svmlight(path, zero_based=said)
                assert data.vectors.toarray().tolist() == [[1, 0, 3]]
                assert data.zero_based == zero_based
        assert read_svmlight(from_one, zero_based=True).vectors.shape == (1, 4)
        with pytest.raises(DocumentError, match=r"a, line 1: has a term number 0.*zero_based=True"):
            read_svmlight(from_zero, zero_based=False)

    def test_number_of_terms(self, file):
        path = file(b"1 1:1 3:3\n")
        assert read_svmlight(path, terms=7).vectors.shape == (1, 7)
        assert read_svmlight(path, terms=3).vectors.shape == (1, 3)
        with pytest.raises(UsageError, match="3 terms, more than terms=2"):
            read_svmlight(path, terms=2)

    @pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n"])
    def test_no_documents(self, file, content):
        data = read_svmlight(file(content))
        assert data.labels == []
        assert data.vectors.shape == (0, 0)

    @pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
    def test_line_endings_and_a_missing_last_one(self, file, ending):
        data = read_svmlight(file(ending.join([b"1 1:1", b"2 2:2"])))
        assert data.labels == [("1",), ("2",)]

    @pytest.mark.parametrize("packed", [gzip.compress, zstandard.compress])
    def test_compressed_files_are_recognised_by_their_content(self, file, packed):
        assert read_svmlight(file(packed(TEXT), "named.anyhow")).labels[0] == ("1", "5", "7")

    def test_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(TEXT))))
        assert len(read_svmlight("-").labels) == 4

    def test_equals_scikit_learn(self, file):
        path = file(TEXT)
        matrix, labels = load_svmlight_file(str(path), multilabel=True)
        data = read_svmlight(path)
        assert (data.vectors.toarray() == matrix.toarray().astype(np.float32)).all()
        assert [tuple(map(float, one)) for one in data.labels] == labels


class TestBadFiles:
    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (b"earn 1:1", "the label 'earn' is not a number"),
            (b"1,,2 1:1", "the label '' is not a number"),
            (b"1 2:x", "'2:x' is not a term number, a colon and a weight"),
            (b"1 word", "'word' is not a term number"),
            (b"1 1:1 -2:1", "'-2:1' is not a term number"),
            (b"1 1:", "'1:' is not a term number"),
            (b"1 3:1 2:1", "term number 2 follows 3; sort them"),
            (b"1 3:1 3:1", "term number 3 follows 3"),
            (b"1 qid:2 3:1 2:1", "term number 2 follows 3"),
            (b"1 qid 3:1", "'qid' is not a term number"),
            (b"1 99999999999:1", "too large"),
            (b"1 " + b"9" * 5000 + b":1", "too large"),
            (b"1 1:nan", "is nan, not a finite number"),
            (b"1 1:inf", "is inf, not a finite number"),
            (b"1 1:1e39", "finite number"),
            (b"nan 1:1", "the label is nan"),
            (b"\xff\xfe 1:1", r"the label '\\\\xff\\\\xfe' is not a number"),
            (b"1 1:1\x00", "is not a term number"),
        ],
    )
    def test_the_line_and_the_fault_are_named(self, file, line, message):
        path = file(b"# first\n\n1 1:1\n" + line + b"\n1 1:1\n")
        with pytest.raises(DocumentError, match=message) as caught:
            read_svmlight(path)
        assert str(caught.value).startswith(f"{path}, line 4: ")
        assert (caught.value.source, caught.value.position) == (str(path), "line 4")

    def test_a_line_that_is_too_long(self, file, monkeypatch):
        monkeypatch.setattr(textlines, "LONGEST_LINE", 100)
        with pytest.raises(DocumentError, match="line 2: is longer than 100 bytes"):
            read_svmlight(file(b"1 1:2\n" + b"1" * 1000))

    def test_a_label_without_a_name(self, file):
        with pytest.raises(DocumentError, match="line 2: the label number 3 has no name"):
            read_svmlight(file(b"1 1:1\n3 1:1\n"), label_names=["zero", "one"])

    def test_a_file_that_is_not_there_or_damaged(self, file, tmp_path):
        with pytest.raises(CorpusError, match="no such file"):
            read_svmlight(tmp_path / "absent")
        with pytest.raises(CorpusError, match="truncated"):
            read_svmlight(file(gzip.compress(TEXT * 100)[:-20]))

    @given(st.binary(max_size=60) | st.text("1,:.# eqidx\n-n", max_size=40).map(str.encode))
    def test_any_bytes_are_read_or_refused(self, tmp_path_factory, content):
        path = tmp_path_factory.getbasetemp() / "any.svm"
        path.write_bytes(content)
        try:
            data = read_svmlight(path)
        except (DocumentError, CorpusError):
            return
        assert data.vectors.shape[0] == len(data.labels)
        assert np.isfinite(data.vectors.data).all()


FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def labelled(draw):
    rows, columns = draw(st.integers(0, 8)), draw(st.integers(1, 6))
    x = draw(arrays(np.float32, (rows, columns), elements=st.just(0.0) | FLOATS))
    labels = [draw(st.sets(st.sampled_from(["a", "b", "c d", "e,f"]))) for _ in range(rows)]
    return sp.csr_matrix(x), labels


class TestWriting:
    @settings(max_examples=60)
    @given(labelled(), st.booleans(), st.integers(1, 5))
    def test_round_trip_is_bit_equal(self, tmp_path_factory, problem, zero_based, block):
        x, labels = problem
        path = tmp_path_factory.getbasetemp() / "round.svm"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(writing, "BLOCK_ENTRIES", block)
            ids = write_svmlight(path, x, labels, zero_based=zero_based)
        data = read_svmlight(
            path,
            label_names={number: name for name, number in ids.items()},
            zero_based=zero_based,
            terms=x.shape[1],
        )
        assert [set(one) for one in data.labels] == labels
        assert data.vectors.toarray().tobytes() == (x.toarray() + 0).tobytes()

    def test_what_is_written(self, tmp_path):
        x = sp.csr_matrix(np.array([[0.1, 0, 2], [0, 0, 0], [0, -1.5, 0], [0, 0, 0]], np.float32))
        path = tmp_path / "x.svm"
        ids = write_svmlight(path, x, [["b", "a", "b"], ["a"], [], []])
        assert path.read_bytes() == b"0,1 1:0.100000001 3:2\n1\n 2:-1.5\n 1:0\n"
        assert ids == {"b": 0, "a": 1}

    def test_given_numbers(self, tmp_path):
        x = sp.csr_matrix(np.eye(2, dtype=np.float32))
        path = tmp_path / "x.svm"
        write_svmlight(path, x, [["yes"], ["no"]], label_ids={"yes": 1, "no": -1}, zero_based=True)
        assert path.read_bytes() == b"1 0:1\n-1 1:1\n"
        with pytest.raises(UsageError, match="'perhaps' has no number"):
            write_svmlight(path, x, [["yes"], ["perhaps"]], label_ids={"yes": 1})

    def test_stored_zeros_and_duplicates_are_tidied_in_a_copy(self, tmp_path):
        x = sp.csr_array(
            (np.array([1, 2, 0, 4], np.float32), np.array([2, 0, 1, 2]), np.array([0, 4])),
            shape=(1, 3),
        )
        path = tmp_path / "x.svm"
        write_svmlight(path, x, [["a"]])
        assert path.read_bytes() == b"0 1:2 3:5\n"
        assert x.nnz == 4

    def test_scikit_learn_reads_it(self, tmp_path):
        x = sp.random(50, 20, 0.3, format="csr", dtype=np.float32, random_state=0)
        path = tmp_path / "x.svm"
        write_svmlight(path, x, [["a"]] * 50)
        matrix, _ = load_svmlight_file(str(path), n_features=20, dtype=np.float32)
        assert (matrix.toarray() == x.toarray()).all()

    def test_we_read_what_scikit_learn_writes(self, tmp_path):
        x = sp.random(50, 20, 0.3, format="csr", dtype=np.float32, random_state=0)
        y = sp.random(50, 4, 0.4, format="csr", random_state=1).astype(bool).astype(int)
        path = tmp_path / "x.svm"
        dump_svmlight_file(x, y, str(path), multilabel=True, comment="theirs", zero_based=False)
        data = read_svmlight(path, terms=20)
        assert (data.vectors.toarray() == x.toarray()).all()
        assert data.labels == [tuple(map(str, np.flatnonzero(row))) for row in y.toarray()]

    @pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
    def test_blocks_of_rows_make_one_file(self, tmp_path, suffix, monkeypatch):
        monkeypatch.setattr("postil.vectors.svmlight.BLOCK_ENTRIES", 100)
        x = sp.random(90, 20, 0.3, format="csr", dtype=np.float32, random_state=0)
        labels = [[str(row % 7)] for row in range(90)]
        path = tmp_path / f"x.svm{suffix}"
        label_ids = write_svmlight(path, x, labels)
        data = read_svmlight(path, label_names={n: name for name, n in label_ids.items()})
        assert (data.vectors.toarray() == x.toarray()).all()
        assert [list(one) for one in data.labels] == labels

    def test_a_failure_leaves_the_old_file(self, tmp_path):
        path = tmp_path / "x.svm"
        path.write_bytes(b"old")
        x = sp.csr_matrix(np.array([[1.0], [np.nan]], np.float32))
        with pytest.raises(UsageError, match="not a finite number"):
            write_svmlight(path, x, [["a"], ["b"]])
        with pytest.raises(UsageError, match="2 documents and labels has 1 sets"):
            write_svmlight(path, x, [["a"]])
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]
