"""Each format as it is found in the world: what becomes of its columns, labels and lines."""

from __future__ import annotations

import pyarrow
import pyarrow.parquet
import pytest

from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, UsageError


def opened(path, content, **options):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_corpus(path, ReadOptions(**options))


class TestJsonLines:
    def test_keys_and_sentence(self, tmp_path):
        corpus = opened(
            tmp_path / "x.jsonl",
            '{"id": 7, "title": "T", "body": "B", "labels": ["b", "a", "b"], '
            '"split": "Test", "date": "1987"}\n\n{"body": null}\n',
        )
        first, second = corpus
        assert (first.id, dict(first.fields)) == ("7", {"title": "T", "body": "B"})
        assert (first.labels, first.split) == (("b", "a"), "test")
        assert (second.id, dict(second.fields), second.labels) == ("line-3", {}, ())
        assert corpus.description == (
            f"reading {tmp_path}/x.jsonl as jsonl: text from title, body; labels from labels; "
            "ids from id; splits from split; not used: date"
        )

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ('"a; b"', ("a; b",)),
            ("3", ("3",)),
            ("true", ("true",)),
            ("null", ()),
            ('""', ()),
            ('[1, "b", ""]', ("1", "b")),
            ('["a b", " c"]', ("a b", " c")),
        ],
    )
    def test_label_values(self, value, expected, tmp_path):
        (document,) = opened(tmp_path / "x.jsonl", f'{{"text": "x", "label": {value}}}')
        assert document.labels == expected

    def test_separator_on_request(self, tmp_path):
        line = '{"text": "x", "label": "a, b,,a"}'
        (document,) = opened(tmp_path / "x.jsonl", line, label_separator=",")
        assert document.labels == ("a", "b")

    def test_other_keys_are_fields_on_request(self, tmp_path):
        line = '{"text": "x", "author": "y"}'
        mapping = {"author": "by", "text": "body"}
        corpus = opened(tmp_path / "x.jsonl", line, text_columns=mapping)
        assert [list(d.fields.items()) for d in corpus] == [[("by", "y"), ("body", "x")]]
        assert "text from author (as by), text (as body)" in corpus.description

    def test_bad_first_line_does_not_spoil_the_guess(self, tmp_path):
        content = 'oops\n{"text": "x", "label": "a"}\n'
        corpus = opened(tmp_path / "x.jsonl", content, on_error="skip")
        assert [document.labels for document in corpus] == [("a",)]
        assert corpus.problems.count == 1

    def test_lone_surrogates_are_kept(self, tmp_path):
        (document,) = opened(tmp_path / "x.jsonl", r'{"text": "\ud800 \u0000"}')
        assert document.fields["text"] == "\ud800 \0"

    def test_latin_1_on_request(self, tmp_path):
        content = '{"text": "zwölf"}'.encode("latin-1")
        (document,) = opened(tmp_path / "x.jsonl", content, encoding="latin-1")
        assert document.fields["text"] == "zwölf"


class TestDelimited:
    def test_quotes_line_breaks_and_labels(self, tmp_path):
        content = 'ID,Title,Text,Category\r\n1,"a ""b"", c","two\r\nlines",x; y z;;x\r\n2,,,\r\n'
        corpus = opened(tmp_path / "x.csv", content)
        first, second = corpus
        assert dict(first.fields) == {"Title": 'a "b", c', "Text": "two\r\nlines"}
        assert first.labels == ("x", "y z")
        assert (dict(second.fields), second.labels) == ({"Title": "", "Text": ""}, ())
        assert "text from Title, Text; labels from Category (separator ';'); ids from ID" in (
            corpus.description
        )

    @pytest.mark.parametrize("delimiter", list(",;|\t"))
    def test_delimiter_is_guessed(self, delimiter, tmp_path):
        content = delimiter.join(["id", '"text, or; so|"', "label"])
        content += "\n" + delimiter.join(["1", "word", "a"]) + "\n"
        corpus = opened(tmp_path / "x.csv", content, text_columns={"text, or; so|": "t"})
        assert [(d.fields["t"], d.labels) for d in corpus] == [("word", ("a",))]
        assert (f"delimiter {delimiter!r}" in corpus.description) == (delimiter != ",")

    def test_whole_cell_as_one_label(self, tmp_path):
        (document,) = opened(tmp_path / "x.csv", "text,label\nx,a; b\n", label_separator="")
        assert document.labels == ("a; b",)

    def test_without_header(self, tmp_path):
        corpus = opened(
            tmp_path / "x.tsv",
            'a\tsome "words\nb\tmore\n',
            has_header=False,
            label_column="1",
            text_columns={"2": "body"},
            quote="",
        )
        assert [(d.id, d.fields["body"], d.labels) for d in corpus] == [
            ("line-1", 'some "words', ("a",)),
            ("line-2", "more", ("b",)),
        ]

    def test_excel_unicode_text(self, tmp_path):
        content = "text\tlabel\r\nzwölf\ta\r\n".encode("utf-16")
        (document,) = opened(tmp_path / "x.tsv", content)
        assert (dict(document.fields), document.labels) == ({"text": "zwölf"}, ("a",))

    def test_ids_are_lines_where_rows_begin(self, tmp_path):
        corpus = opened(tmp_path / "x.csv", 'text,y\n"a\nb",1\n\nc,2\n')
        assert [(d.id, d.labels) for d in corpus] == [("line-2", ("1",)), ("line-5", ("2",))]

    def test_single_unknown_column_is_the_text(self, tmp_path):
        corpus = opened(tmp_path / "x.csv", "words,label\nx y,a\n")
        assert [dict(d.fields) for d in corpus] == [{"words": "x y"}]


class TestColumnErrors:
    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("label_column", "topic"),
            ("id_column", "key"),
            ("split_column", "part"),
            ("text_columns", {"words": "words"}),
        ],
    )
    @pytest.mark.parametrize("name", ["csv", "jsonl"])
    def test_named_column_that_is_absent(self, name, option, value, tmp_path):
        content = {"csv": "text,tag\nx,a\n", "jsonl": '{"text": "x", "tag": "a"}\n'}[name]
        flag = "--" + option.replace("_", "-")
        with pytest.raises(CorpusError, match=f"no column .*{flag}.*its columns are: text, tag"):
            opened(tmp_path / f"x.{name}", content, **{option: value})

    def test_no_label_column_is_said(self, tmp_path):
        corpus = opened(tmp_path / "x.csv", "text,date\nx,1\n")
        assert [document.labels for document in corpus] == [()]
        assert "no label column, so no labels" in corpus.description
        assert "not used: date" in corpus.description

    def test_columns_can_be_denied(self, tmp_path):
        content = "id,text,label,split\n1,x,a,train\n1,y,b,test\n"
        none = {"id_column": "", "label_column": "", "split_column": ""}
        corpus = opened(tmp_path / "x.csv", content, **none)
        assert [(d.id, d.labels, d.split) for d in corpus] == [
            ("line-2", (), None),
            ("line-3", (), None),
        ]

    @pytest.mark.parametrize(
        ("asked", "labels", "fields"),
        [
            ({"text_columns": {"topic": "t", "text": "x"}}, ("b",), {"t": "a", "x": "w"}),
            ({"label_column": "text"}, ("w",), {"title": "s"}),
            ({"id_column": "topic"}, ("b",), {"title": "s", "text": "w"}),
        ],
    )
    def test_a_column_has_one_part(self, asked, labels, fields, tmp_path):
        content = "topic,tags,title,text\na,b,s,w\n"
        (document,) = opened(tmp_path / "x.csv", content, **asked)
        assert (document.labels, dict(document.fields)) == (labels, fields)

    def test_no_text_column(self, tmp_path):
        with pytest.raises(CorpusError, match=r"no column is known to hold text.*a, b.*COLUMN"):
            opened(tmp_path / "x.csv", "a,b\n1,2\n")

    @pytest.mark.parametrize(
        ("fields", "texts"),
        [
            ((), ["title", "memo"]),
            (("title", "author"), ["title", "author"]),
            (("author", "score"), ["author", "title", "memo"]),  # a score is not text: guessed
        ],
    )
    def test_sentences_and_the_fields_of_a_model_are_text(self, fields, texts, tmp_path):
        row = '{"title": "T", "author": "Ann", "score": 3, "memo": "%s", "label": "%s"}'
        content = row % ("one two three four five six seven eight", "a b c d e f g h")
        (document,) = opened(tmp_path / "x.jsonl", content, fields=fields)
        assert sorted(document.fields) == sorted(texts)
        assert document.labels == ("a b c d e f g h",)

    def test_split_column_must_hold_splits_to_be_guessed(self, tmp_path):
        corpus = opened(tmp_path / "x.csv", "text,set\nx,blue\n")
        assert [document.split for document in corpus] == [None]
        assert "not used: set" in corpus.description

    def test_third_split_is_no_split(self, tmp_path):
        corpus = opened(tmp_path / "x.csv", "text,split\na,train\nb,validation\nc,TEST\nd,\n")
        assert [document.split for document in corpus] == ["train", None, "test", None]
        assert [document.fields["text"] for document in corpus.only("test")] == ["c"]

    def test_options_of_other_formats_are_refused(self, tmp_path):
        with pytest.raises(UsageError, match="--label-column means nothing when reading fasttext"):
            opened(tmp_path / "x.ft", "__label__a b", label_column="label")


class TestFastText:
    def test_labels_anywhere(self, tmp_path):
        content = "__label__a __label__b one  two\nthree __label__c four\nx\t__label__d\n five\n\n"
        corpus = opened(tmp_path / "x.txt", content)
        assert [(d.fields["text"], d.labels) for d in corpus] == [
            ("one  two", ("a", "b")),
            ("three four", ("c",)),
            ("x\t", ("d",)),
            (" five", ()),
            ("", ()),
        ]
        assert "as fasttext: labels from words with the prefix __label__" in corpus.description

    def test_prefix_inside_a_word_is_no_label(self, tmp_path):
        (document,) = opened(tmp_path / "x.ft", "x__label__a __label__ b")
        assert (document.labels, document.fields["text"]) == ((), "x__label__a __label__ b")

    def test_own_prefix(self, tmp_path):
        (document,) = opened(tmp_path / "x.txt", "#a.b text", label_prefix="#")
        assert document.labels == ("a.b",)

    def test_field_can_be_named(self, tmp_path):
        (document,) = opened(tmp_path / "x.ft", "__label__a b", text_columns={"text": "body"})
        assert dict(document.fields) == {"body": "b"}
        with pytest.raises(UsageError, match="one text a document"):
            opened(tmp_path / "x.ft", "__label__a b", text_columns={"body": "body"})


class TestAnnif:
    def test_uris_and_words(self, tmp_path):
        content = (
            "A title\t<http://example.org/1> <http://example.org/2>\t<x>\nAnother\tp q p\nC\t\n"
        )
        corpus = opened(tmp_path / "x.tsv", content, format="annif")
        assert [(d.fields["text"], d.labels) for d in corpus] == [
            ("A title", ("http://example.org/1", "http://example.org/2", "x")),
            ("Another", ("p", "q")),
            ("C", ()),
        ]

    def test_is_told_from_tsv(self, tmp_path):
        uris = opened(tmp_path / "a.tsv", "A title\t<http://example.org/1>\nB\t\n")
        assert " as annif: " in uris.description
        header = opened(tmp_path / "b.tsv", "text\tlabel\nB\tb\n")
        assert " as tsv: " in header.description


class TestParquet:
    def test_types_of_columns(self, tmp_path):
        table = pyarrow.table(
            {
                "id": [1, 2],
                "text": pyarrow.array(["a", None], pyarrow.large_string()),
                "title": pyarrow.array(["s", "t"]).dictionary_encode(),
                "labels": pyarrow.array([["x", "y"], None]),
                "score": [0.5, 0.25],
            }
        )
        pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
        corpus = open_corpus(tmp_path / "x.parquet")
        assert [(d.id, dict(d.fields), d.labels) for d in corpus] == [
            ("1", {"text": "a", "title": "s"}, ("x", "y")),
            ("2", {"title": "t"}, ()),
        ]
        assert "ids from id; not used: score" in corpus.description

    def test_many_row_groups(self, tmp_path):
        texts = [f"text {number}" for number in range(3000)]
        table = pyarrow.table({"text": texts, "label": [n % 7 for n in range(3000)]})
        pyarrow.parquet.write_table(table, tmp_path / "x.pq", row_group_size=700)
        corpus = open_corpus(tmp_path / "x.pq")
        assert [document.fields["text"] for document in corpus] == texts
        assert [document.id for document in corpus][-1] == "row-3000"

    def test_bytes_are_not_text(self, tmp_path):
        table = pyarrow.table({"text": [b"a"], "label": ["x"]})
        pyarrow.parquet.write_table(table, tmp_path / "x.pq")
        with pytest.raises(CorpusError, match=r"'text' should hold text, .* first is b'a'"):
            open_corpus(tmp_path / "x.pq")
