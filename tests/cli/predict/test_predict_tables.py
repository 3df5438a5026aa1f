"""`postil predict` into tables: the columns of the input are kept, and new ones are added."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus
from postil.model.load import load_model
from postil.train.predict import Predictor

from ..helpers import small_model

LABELS = {"road": "transport", "snow": "weather"}
ROWS = [
    {"id": "7", "text": "road, wet", "price": "007", "labels": "x"},
    {"id": "8", "text": 'a "deep" snow', "price": "1,50", "labels": ""},
    {"id": "9", "text": "road; and\nice", "price": "", "labels": "y;z"},
]
GIVEN = ["transport", "weather", "transport"]


@pytest.fixture
def model(tmp_path):
    return small_model(tmp_path / "m.postil")


def run(postil, *arguments):
    result = postil("predict", *map(str, arguments))
    assert result.code == 0, result.err
    return result


def write_csv(path, rows=ROWS, delimiter=",", encoding="utf-8", newline="\n"):
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], delimiter=delimiter, lineterminator=newline)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))


def read_csv(path, delimiter=","):
    return list(
        csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""), delimiter=delimiter)
    )


def table_of(path):
    """Return the rows of a file in any of the formats, empty cells as empty texts."""
    if path.suffix in {".csv", ".tsv"}:
        return read_csv(path, "\t" if path.suffix == ".tsv" else ",")
    if path.suffix == ".parquet":
        rows = pyarrow.parquet.read_table(path).to_pylist()
    else:
        header, *cells = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        rows = [dict(zip(header, each, strict=True)) for each in cells]
    joined = [
        {
            k: ";".join(v) if isinstance(v, list) and k != "probabilities" else v
            for k, v in row.items()
        }
        for row in rows
    ]
    return [{k: "" if v is None else v for k, v in row.items()} for row in joined]


@pytest.mark.parametrize("target", ["csv", "tsv", "parquet", "xlsx"])
@pytest.mark.parametrize("source", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_columns_of_any_table_are_kept_in_any_other(postil, model, tmp_path, source, target):
    path, out = tmp_path / f"in.{source}", tmp_path / f"out.{target}"
    if source in {"csv", "tsv"}:
        write_csv(path, delimiter="\t" if source == "tsv" else ",")
    elif source == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif source == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    else:
        book = openpyxl.Workbook()
        for row in ([*ROWS[0]], *(list(row.values()) for row in ROWS)):
            book.active.append(row)
        book.save(path)
    told = run(postil, model, path, "-o", out, "--chunk", "2")
    assert "new columns are called predicted labels (the input has labels)" in told.err
    found = table_of(out)
    assert list(found[0]) == [*ROWS[0], "predicted labels", "probabilities", "problem"]
    assert [{name: row[name] for name in ROWS[0]} for row in found] == ROWS
    assert [row["predicted labels"] for row in found] == GIVEN
    lines = run(postil, model, path).out.splitlines()
    chances = [list(json.loads(line)["probabilities"].values()) for line in lines]
    shown = [row["probabilities"] for row in found]
    assert [each if isinstance(each, list) else [float(each)] for each in shown] == chances


def test_a_csv_file_keeps_its_form(postil, model, tmp_path):
    write_csv(tmp_path / "in.csv", delimiter=";", encoding="utf-8-sig", newline="\r\n")
    run(postil, model, "in.csv", "-o", "out.csv.gz")
    kept = gzip.decompress((tmp_path / "out.csv.gz").read_bytes())
    before = (tmp_path / "in.csv").read_bytes().splitlines()
    assert kept.startswith(
        b"\xef\xbb\xbfid;text;price;labels;predicted labels;probabilities;problem\r\n"
    )
    assert kept.splitlines()[1].startswith(before[1] + b";transport;0.")
    write_csv(tmp_path / "latin.csv", [{"text": "snow in Köln"}], encoding="latin-1")
    run(postil, model, "latin.csv", "--encoding", "latin-1", "-o", "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith("\ufefftext,labels".encode())
    assert read_csv(tmp_path / "out.csv")[0]["text"] == "snow in Köln"


def test_values_keep_their_types(postil, model, tmp_path):
    stamp = pyarrow.array([1, 1_700_000_000_000_000_123], pyarrow.timestamp("ns", "UTC"))
    columns = {
        "text": ["road", "snow"],
        "when": stamp,
        "cost": [Decimal("1.50"), None],
        "tags": [["a"], []],
        "kind": pyarrow.array(["x", "y"]).dictionary_encode(),
    }
    table = pyarrow.table(columns)
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    for chunk in ("1", "4096"):
        run(postil, model, "in.parquet", "-o", "out.parquet", "--chunk", chunk)
        found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
        assert found.select(table.column_names).cast(table.schema).equals(table)
        assert found.schema.field("cost").type == table.schema.field("cost").type
        assert found["labels"].to_pylist() == [["transport"], ["weather"]]
    book = openpyxl.Workbook()
    row = ["road", 7, 2.5, date(2024, 1, 31), True, "=B2*2", "00123"]
    for cells in (["text", *"abcdef"], row):
        book.active.append(cells)
    book.save(tmp_path / "in.xlsx")
    run(postil, model, "in.xlsx", "-o", "out.xlsx")
    _, found = openpyxl.load_workbook(tmp_path / "out.xlsx").active.iter_rows(values_only=True)
    # A formula that no program has computed has no value.
    assert found[:7] == ("road", 7, 2.5, datetime(2024, 1, 31), True, None, "00123")
    assert found[7] == "transport"
    assert isinstance(found[8], float)
    run(postil, model, "in.xlsx", "-o", "out.csv")
    assert list(read_csv(tmp_path / "out.csv")[0].values())[1:5] == [
        "7",
        "2.5",
        "2024-01-31",
        "true",
    ]


def test_a_workbook_keeps_formats_and_widths(postil, model, tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["text", "when", "price", "share", "plain"])
    for _ in range(2):
        sheet.append(["road", date(2024, 1, 31), 2.5, 0.25, 7])
    shown = {"B": "DD.MM.YYYY", "C": '#,##0.00 "€"', "D": "0.0%", "E": "General"}
    for column, number_format in shown.items():
        sheet[f"{column}3"].number_format = number_format
    sheet.column_dimensions["A"].width = 80
    book.save(tmp_path / "in.xlsx")
    run(postil, model, "in.xlsx", "-o", "out.xlsx")
    found = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert {column: found[f"{column}3"].number_format for column in shown} == shown
    assert found["B3"].value == datetime(2024, 1, 31)
    assert found.column_dimensions["A"].width == 80
    assert found["F1"].font.bold
    assert not found["F3"].font.bold
    assert (found.freeze_panes, found.auto_filter.ref) == ("A2", "A1:H3")


def test_what_a_sheet_cannot_hold(postil, model, tmp_path):
    rows = [{"text": "road", "note": "a\r\nb"}, {"text": "snow\x0b", "note": "x" * 40_000}]
    write_csv(tmp_path / "in.csv", rows)
    result = postil("predict", model, "in.csv", "-o", "out.xlsx")
    assert result.code == 1
    assert "out.xlsx, document 'line-4': holds '\\x0b'" in result.err
    assert "write csv or jsonl, or let it be changed (--on-error skip)" in result.err
    assert not (tmp_path / "out.xlsx").exists()
    run(postil, model, "in.csv", "-o", "out.xlsx", "--on-error", "skip")
    first, second = table_of(tmp_path / "out.xlsx")
    assert (first["note"], first["problem"]) == ("a\nb", "")
    assert (second["text"], second["note"]) == ("snow ", "x" * 32_767)
    assert second["labels"] == "weather"
    assert second["problem"] == (
        "text is without some characters: XLSX does not hold all of it; "
        "note is cut off: XLSX does not hold all of it"
    )


@pytest.mark.parametrize("source", ["csv", "xlsx"])
def test_columns_of_one_name(postil, model, tmp_path, source):
    rows = [["text", "x", "x"], ["road", "1", "2"]]
    if source == "csv":
        (tmp_path / "in.csv").write_text("\n".join(map(",".join, rows)))
    else:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "in.xlsx")
    run(postil, model, f"in.{source}", "-o", "out.csv")
    (row,) = read_csv(tmp_path / "out.csv")
    assert (row["x"], row["x (2)"], row["labels"]) == ("1", "2", "transport")
    result = postil("predict", model, f"in.{source}", "--text-columns", "x", "-o", "out.csv")
    assert result.code == 1
    assert f"in.{source}: two columns are called 'x'; rename one" in result.err


def test_documents_that_are_no_table_have_ids(postil, model, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("road")
    run(postil, model, "notes", "-o", "out.csv")
    assert [(row["id"], row["labels"]) for row in read_csv(tmp_path / "out.csv")] == [
        ("a.txt", "transport")
    ]
    run(postil, model, "--text", "snow", "-o", "one.tsv")
    assert (
        (tmp_path / "one.tsv")
        .read_text()
        .startswith("id\tlabels\tprobabilities\tproblem\ntext\tweather\t")
    )


def test_a_person_is_needed_where_no_label_is_sure(postil, model, tmp_path):
    write_csv(tmp_path / "in.csv", [{"id": n, "text": t} for n, t in enumerate(("road", "owl"))])
    ways = ("--min-probability", "0.6", "--top", "2")
    told = run(postil, model, "in.csv", *ways, "-o", "out.csv")
    assert "referred 1 of 2 documents" in told.err
    assert told.err.endswith(': marked "needs a person"\nwrote out.csv: 2 rows, 1 needs a person\n')
    sure, unsure = read_csv(tmp_path / "out.csv")
    assert (sure["labels"], sure["needs a person"]) == ("transport", "no")
    assert (unsure["labels"], unsure["needs a person"]) == ("", "yes")
    assert set(unsure["top labels"].split(";")) == set(LABELS.values())
    assert len(unsure["top probabilities"].split(";")) == 2
    run(postil, model, "in.csv", *ways, "-o", "sure.jsonl", "--refer", "unsure.xlsx")
    assert [json.loads(x)["id"] for x in (tmp_path / "sure.jsonl").read_text().splitlines()] == [
        "0"
    ]
    (referred,) = table_of(tmp_path / "unsure.xlsx")
    assert (referred["id"], referred["text"], referred["needs a person"]) == ("1", "owl", "yes")


def test_bad_rows_are_kept_with_what_is_wrong(postil, model, tmp_path):
    (tmp_path / "in.csv").write_text("id,text\n1,road\n1,snow\n2\n3,a,b\n4,snow\n")
    skip = ("--on-error", "skip", "-o")
    for chunk in ("1", "2", "4096"):
        told = run(postil, model, "in.csv", "--chunk", chunk, *skip, "out.csv")
        rows = read_csv(tmp_path / "out.csv")
        assert [(row["id"], row["labels"]) for row in rows] == [
            ("1", "transport"),
            ("1", ""),
            ("2", ""),
            ("4", "weather"),
        ]
        assert "the id '1' was given to a document before" in rows[1]["problem"]
        assert "line 4: the row has 1 columns" in rows[2]["problem"]
        assert "2 skipped documents without labels are in the table" in told.err
        assert "skipped 3 bad documents" in told.err
    assert len(run(postil, model, "in.csv", "--on-error", "skip").out.splitlines()) == 2
    assert postil("predict", model, "in.csv", "-o", "no.csv").code == 1
    assert not (tmp_path / "no.csv").exists()


def test_a_key_that_comes_late_is_no_column(postil, model, tmp_path):
    lines = ['{"text": "road"}'] * 1000 + ['{"text": "snow", "more": 1}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    result = postil("predict", model, "in.jsonl", "-o", "out.csv")
    assert result.code == 1
    assert "line 1001: the key 'more' appears here for the first time" in result.err
    assert run(postil, model, "in.jsonl", "-o", "out.jsonl").out == ""


@pytest.mark.parametrize("name", ["out.xls", "out.pdf", "out.txt.gz", "out.html"])
def test_names_of_other_files_are_refused(postil, model, name):
    for option in ("-o", "--refer"):
        result = postil("predict", model, "demo", "--min-probability", "0.9", option, name)
        assert result.code == 2
        assert f"{name}: predictions are written as .jsonl, or as a table" in result.err


@pytest.mark.parametrize("name", ["out", "out.json", "out.ndjson.gz"])
def test_names_of_json_lines(postil, model, tmp_path, name):
    run(postil, model, "--text", "road", "-o", name)
    data = (tmp_path / name).read_bytes()
    line = gzip.decompress(data) if name.endswith(".gz") else data
    assert json.loads(line)["labels"] == ["transport"]


def test_a_label_that_holds_the_separator_gets_another(postil, tmp_path):
    rows = [{"text": word, "labels": [label]} for word, label in (("road", "a;b"), ("snow", "c"))]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows * 9))
    assert postil("train", "t.jsonl", "-o", "s.postil", "--no-test", "--budget", "none").code == 0
    told = run(postil, "s.postil", "--text", "road", "-o", "out.csv", "--top", "2")
    assert "labels are separated by '|', since one holds ';'" in told.err
    assert read_csv(tmp_path / "out.csv")[0]["top labels"] == "a;b|c"


class TestRestricted:
    def test_only_these_labels_are_given_and_probabilities_stay(self, postil, model):
        whole = json.loads(run(postil, model, "--text", "road", "--top", "2").out)
        for option in (("--include", "weather"), ("--exclude", "transport")):
            line = json.loads(run(postil, model, "--text", "road", "--top", "2", *option).out)
            assert line["top"] == {"weather": whole["top"]["weather"]}
            assert line["labels"] in ([], ["weather"])

    def test_a_model_of_one_label_gives_the_best_of_them(self, postil, tmp_path):
        words = {"road": "transport", "snow": "weather", "goal": "sport"}
        write_csv(tmp_path / "t.csv", [{"text": w, "label": x} for w, x in words.items()] * 5)
        assert (
            postil("train", "t.csv", "-o", "one.postil", "--no-test", "--budget", "none").code == 0
        )
        decision = load_model(Path("one.postil")).decision
        assert decision.at_least == 1
        text = ("--text", "road road snow", "--exclude", "transport")
        assert json.loads(run(postil, "one.postil", *text).out)["labels"] == ["weather"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--include", "wether"), "has no category 'wether'; did you mean 'weather'?"),
            (("--exclude", "weather", "--exclude", "transport"), "--exclude: no label is left"),
        ],
    )
    def test_names_are_checked(self, postil, model, options, message):
        result = postil("predict", model, "--text", "road", *options)
        assert result.code == 2
        assert message in result.err


def test_suggestions_are_the_best_by_probability(postil, model):
    predictor = Predictor(load_model(Path(model)))
    scores = predictor.scores([["road snow"]])
    chances = predictor.probabilities(scores)[0]
    line = json.loads(run(postil, model, "--text", "road snow", "--top", "1").out)
    best = int(chances.argmax())
    assert line["top"] == {predictor.model.names[best]: round(float(chances[best]), 6)}
    raw = json.loads(run(postil, model, "--text", "road snow", "--top", "5", "--scores").out)
    assert list(raw["top"].values()) == sorted(
        (round(float(s), 6) for s in scores[0]), reverse=True
    )


def test_a_written_corpus_is_read_as_a_table(tmp_path, postil, model):
    write_corpus(open_corpus("demo", ReadOptions()), tmp_path / "c.xlsx")
    run(postil, model, "c.xlsx", "-o", "out.parquet", "--text-columns", "body=text")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").num_rows == 352


def test_rows_that_say_nothing_are_marked(postil, model, tmp_path):
    rows = [{"id": n, "text": text} for n, text in enumerate(("road", "owl", " "))]
    write_csv(tmp_path / "in.csv", rows)
    told = run(postil, model, "in.csv", "-o", "out.csv")
    problems = ["", "no term that the model knows", "no text"]
    assert [row["problem"] for row in read_csv(tmp_path / "out.csv")] == problems
    assert told.err.endswith("wrote out.csv: 3 rows\n")
    # Some label of an empty text is as probable as this: a person decides all the same.
    told = run(postil, model, "in.csv", "-o", "out.csv", "--min-probability", "0.01")
    rows = read_csv(tmp_path / "out.csv")
    assert [row["needs a person"] for row in rows] == ["no", "yes", "yes"]
    assert [row["problem"] for row in rows] == problems
    assert told.err.endswith("wrote out.csv: 3 rows, 2 need a person\n")


def test_files_that_cannot_be_read_are_rows(postil, model, tmp_path):
    (tmp_path / "in" / "b").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_text("road")
    (tmp_path / "in" / "b" / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "in" / "c.txt").symlink_to("nothing")
    ways = ("--on-error", "skip", "--min-probability", "0.1", "-o", "out.csv")
    told = run(postil, model, "in", *ways)
    rows = {row["id"]: row for row in read_csv(tmp_path / "out.csv")}
    assert len(rows) == 3
    assert rows["a.txt"]["labels"] == "transport"
    assert rows["b/scan.png"]["labels"] == ""
    assert rows["b/scan.png"]["needs a person"] == "yes"
    assert "is a PNG image" in rows["b/scan.png"]["problem"]
    assert any("is no file that can be read" in row["problem"] for row in rows.values())
    assert "wrote out.csv: 3 rows, 2 need a person" in told.err


def test_a_minimum_probability_is_a_share(postil, model):
    result = postil("predict", model, "--text", "road", "--min-probability", "90")
    assert result.code == 2
    assert "a share from 0 to 1, such as 0.9 for 90 %, and received 90" in result.err
    told = run(postil, model, "--text", "road", "--min-probability", "0.99999")
    assert "without a label of probability 0.99999 or more" in told.err
