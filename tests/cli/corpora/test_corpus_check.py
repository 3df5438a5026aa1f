"""`postil corpus check`: text, JSON, page and a cleaned corpus."""

from __future__ import annotations

import csv
import json

import pytest

from postil.corpus.opening import open_corpus
from postil.corpus.writing import write_corpus


@pytest.fixture
def mails(tmp_path):
    """The demo corpus with a document twice, one nearly so and a wrong label."""
    path = tmp_path / "mails.jsonl"
    write_corpus(open_corpus("demo"), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    again = json.loads(lines[0]) | {"id": "again"}
    near = again | {"id": "near", "body": again["body"].replace(" the ", " this ", 1)}
    path.write_text("\n".join([*lines, json.dumps(again), json.dumps(near), ""]), encoding="utf-8")
    return path


def test_findings_come_in_order_with_what_to_type_next(postil, mails):
    result = postil("corpus", "check", str(mails), "--quick")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == f"{mails}: 354 documents (252 train, 102 test), 12 labels"
    titles = [line[4:] for line in lines if line[:2].strip().isdigit()]
    assert titles == ["Copies", "Near copies", "Documents without a label"]
    assert "not looked for: likely label errors: --quick trains no model" in result.out
    assert result.err.splitlines()[-1] == (
        f"next: postil corpus check {mails} --quick -o check.html shows examples of each"
    )


def test_a_page_json_and_a_cleaned_corpus(postil, mails, tmp_path):
    page, cleaned = tmp_path / "check.html", tmp_path / "clean.jsonl"
    result = postil(
        "corpus", "check", str(mails), "-o", str(page), "--write", str(cleaned), "--json"
    )
    assert result.code == 0
    told = json.loads(result.out)
    assert told["documents"] == 354
    assert "label_errors" in [finding["kind"] for finding in told["findings"]]
    assert "<h2>1. Likely label errors</h2>" in page.read_text(encoding="utf-8")
    assert f"wrote 353 documents to {cleaned}: 1 dropped that repeat another" in result.err
    documents = {document.id: document for document in open_corpus(str(cleaned))}
    assert "again" not in documents
    first = next(iter(open_corpus("demo"))).id
    assert told["dropped"] == [{"id": "again", "kept": first}]
    assert documents["near"].group == documents[first].group == f"copies of {first}"
    suspects = (tmp_path / "clean.suspects.jsonl").read_text(encoding="utf-8").splitlines()
    count = next(each["count"] for each in told["findings"] if each["kind"] == "label_errors")
    assert len(suspects) == count
    suspect = json.loads(suspects[0])
    assert suspect.keys() == {"id", "split", "text", "labels", "suggested", "doubted", "quality"}
    assert {json.loads(line)["split"] for line in suspects} <= {"train", "test"}
    assert set(suspect["doubted"]) <= set(suspect["labels"])
    assert not set(suspect["suggested"]) & set(suspect["labels"])


def test_documents_come_by_a_pipe_and_the_page_goes_to_one(postil, mails):
    result = postil("corpus", "check", "-", "-o", "-", "--quick", stdin=mails.read_bytes())
    assert result.code == 0
    assert result.out.startswith("<!DOCTYPE html>")


def test_bad_documents_are_counted_once(postil, mails):
    mails.write_bytes(mails.read_bytes() + b"oops\noops\n")
    result = postil("corpus", "check", str(mails), "--quick", "--on-error", "skip")
    assert result.code == 0
    assert result.err.count("skipped 2 bad documents") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--write", "-"], "a file of suspects is written beside the corpus"),
        (["--write", "clean.xyz"], "does not say which format"),
        (["--write", "no/such/clean.jsonl"], "no/such does not exist"),
        (["-o", "-", "--json"], "both take standard output"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(postil, options, message):
    result = postil("corpus", "check", "demo", *options)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


def test_the_corpus_itself_is_not_replaced(postil, mails):
    before = mails.read_bytes()
    result = postil("corpus", "check", str(mails), "--write", str(mails), "--quick")
    assert result.code == 2
    assert "the output would replace it" in result.err
    assert mails.read_bytes() == before


def test_split_keeps_near_copies_together(postil, mails, tmp_path):
    target = tmp_path / "split.jsonl"
    for seed in range(4):
        assert postil("corpus", "split", str(mails), str(target), "--seed", str(seed)).code == 0
        documents = {document.id: document for document in open_corpus(str(target))}
        first = next(iter(documents.values()))
        assert first.split == documents["again"].split == documents["near"].split


STORY = "the council met on monday to talk about the bridge over the river and its costs"
ROWS = [
    {"number": 7, "queue": "a", "message": f"{STORY} once more", "thread": None},
    {"number": 8, "queue": "b", "message": f"{STORY} once more", "thread": None},
    {"number": 9, "queue": "a", "message": f"{STORY} Once More", "thread": None},
    {"number": 10, "queue": "a", "message": f"{STORY} at last", "thread": "t1"},
    {"number": 11, "queue": "b", "message": "snow and rain in the north", "thread": None},
]


@pytest.mark.parametrize("extension", ["csv", "xlsx", "jsonl", "parquet"])
def test_a_table_keeps_its_columns_and_gets_groups(postil, tmp_path, extension):
    source, target = tmp_path / f"in.{extension}", tmp_path / f"out.{extension}"
    table(source, ROWS)
    options = ["--label-column", "queue", "--quick", "--write", str(target)]
    assert postil("corpus", "check", str(source), *options).code == 0
    kept = [ROWS[0], ROWS[1], ROWS[3], ROWS[4]]
    groups = ["copies of", "copies of", "copies of", None]
    read = rows_of(target)
    assert [{name: row.get(name) for name in ROWS[0]} for row in read] == kept
    assert [(row.get("group") or "")[:9] for row in read] == [each or "" for each in groups]
    # A column of groups is filled where it is empty, and no other is added.
    options += ["--group-column", "thread"]
    assert postil("corpus", "check", str(source), *options).code == 0
    filled = [{**row, "thread": "t1"} for row in kept[:3]]
    assert rows_of(target) == [*filled, kept[3]]


def table(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".csv":
        texts = [[str(value or "") for value in row.values()] for row in rows]
        path.write_text("\n".join(map(";".join, [list(rows[0]), *texts])), encoding="utf-8")
    elif path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.Table.from_pylist(rows), path)
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        for cells in [list(rows[0]), *(list(row.values()) for row in rows)]:
            book.active.append(cells)
        book.save(path)


def rows_of(path):
    """The rows of a file as they were given to :func:`table`."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if path.suffix == ".csv":
        header, *lines = [line.split(";") for line in path.read_text("utf-8").splitlines()]
        rows = [dict(zip(header, line, strict=True)) for line in lines]
        return [
            {**row, "number": int(row["number"]), "thread": row["thread"] or None} for row in rows
        ]
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    sheet = pytest.importorskip("openpyxl").load_workbook(path).active
    header, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_copies_are_not_dropped_if_no_label_column_was_read(postil, tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    table(source, ROWS)
    command = ["corpus", "check", str(source), "--quick"]
    result = postil(*command)
    assert "2 of them have the same split, and no labels were read" in " ".join(result.out.split())
    assert "no label column was read (name it with --label-column)" in result.out
    assert result.err.endswith("--label-column COLUMN, if a column holds labels\n")
    result = postil(*command, "--write", str(target))
    assert result.code == 2
    assert "no label column was read, so that --write could drop copies" in result.err
    assert not target.exists()
    assert postil(*command, "--label-column", "", "--write", str(target)).code == 0
    assert [row["number"] for row in rows_of(target)] == [7, 10, 11]


def test_splits_from_names_of_files_are_written(postil, tmp_path):
    for name, rows in (("train", ROWS[:2]), ("test", ROWS[4:])):
        table(tmp_path / f"{name}.csv", rows)
    files = [str(tmp_path / "train.csv"), str(tmp_path / "test.csv")]
    target = tmp_path / "out.csv"
    options = ["--label-column", "queue", "--quick", "--write", str(target)]
    assert postil("corpus", "check", *files, *options).code == 0
    assert [row["split"] for row in rows_of(target)] == ["train", "train", "test"]


def test_a_corpus_with_leaks_is_split_anew_first(postil, tmp_path):
    source = tmp_path / "leaky.csv"
    table(source, [{**r, "split": s} for r, s in zip(ROWS, ["train", "test"] * 3, strict=False)])
    options = ["--label-column", "queue", "--quick", "-o", str(tmp_path / "check.html")]
    result = postil("corpus", "check", str(source), *options)
    assert result.err.splitlines()[-1] == (
        f"next: postil corpus split {source} --label-column queue split.csv keeps copies on one "
        "side; then postil corpus check split.csv --write clean.csv"
    )


def test_suspects_are_a_table_beside_a_table(postil, mails, tmp_path):
    source, target = tmp_path / "mails.csv", tmp_path / "clean.csv"
    write_corpus(open_corpus(str(mails)), source)
    assert postil("corpus", "check", str(source), "--write", str(target)).code == 0
    with (tmp_path / "clean.suspects.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [
        *("id", "split", "text", "labels", "suggested", "suggested probabilities"),
        *("doubted", "doubted probabilities", "quality"),
    ]
    assert rows
    assert all(row[1] in ("train", "test") and row[2] and 0 <= float(row[8]) <= 1 for row in rows)


def test_a_label_file_finds_the_column_and_joins_labels(postil, tmp_path):
    source, target, names = (tmp_path / name for name in ("in.csv", "out.csv", "names.csv"))
    names.write_text("id,name\na,Apples\nb,Bees\n", encoding="utf-8")
    table(source, [*ROWS, {**ROWS[0], "queue": "apples"}])
    options = ["--labels", str(names), "--quick", "--write", str(target)]
    result = postil("corpus", "check", str(source), *options)
    assert f"{source}: 6 documents, 2 labels" in result.out
    assert [row["queue"] for row in rows_of(target)] == ["a", "b", "a", "b"]
    assert result.err.splitlines()[-1] == (
        f"next: postil corpus split {target} --label-column queue split.csv"
    )
