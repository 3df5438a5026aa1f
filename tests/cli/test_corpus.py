"""`postil corpus …`."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from postil.corpus.named.registry import NAMES
from postil.text import detection

MAILS = "subject,body,queue\nPrinter,It burns,hardware;urgent\nLogin,Cannot log in,accounts\n"


@pytest.fixture
def mails(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text(MAILS, encoding="utf-8")
    return path


def test_list_names_every_corpus_and_format(postil):
    result = postil("corpus", "list")
    assert result.code == 0
    for name in (*NAMES, "jsonl", "fasttext", "annif", "parquet"):
        assert name in result.out
    listed = json.loads(postil("corpus", "list", "--json").out)
    assert [corpus["name"] for corpus in listed["corpora"]] == list(NAMES)
    assert next(c for c in listed["corpora"] if c["name"] == "demo")["here"] is True


def test_list_verbose_shows_terms_and_options(postil):
    shown = postil("corpus", "list", "-v").out
    assert "Terms:" in shown
    assert "-O label_set=topics|places|people|orgs|exchanges (default topics)" in shown


def test_info_counts_the_demo_corpus(postil):
    counted = json.loads(postil("corpus", "info", "demo", "--json").out)
    assert counted["documents"] == 352
    assert counted["splits"] == {"train": 252, "test": 100}
    assert counted["labels"]["distinct"] == 12
    shown = postil("corpus", "info", "demo", "--top", "3").out
    assert "352 documents (252 train, 100 test)" in shown
    assert "… and 9 more" in shown


def test_info_tells_languages(postil, monkeypatch):
    told = json.loads(postil("corpus", "info", "demo", "--json").out)["languages"]
    assert told == {"documents": 352, "shares": {"en": 1.0}}
    shown = postil("corpus", "info", "-", "--format", "lines", stdin=b"7\n8\n").out
    assert "  languages   no document has letters\n" in shown
    detection._classifier.cache_clear()
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    assert (
        "  languages   not identified; pip install 'postil[lang]'"
        in postil("corpus", "info", "demo").out
    )
    assert json.loads(postil("corpus", "info", "demo", "--json").out)["languages"] is None


def test_info_of_one_split(postil):
    counted = json.loads(postil("corpus", "info", "demo", "--split", "test", "--json").out)
    assert counted["documents"] == 100


def test_info_says_what_it_guessed_on_stderr_only(postil, mails):
    result = postil("corpus", "info", str(mails), "--label-column", "queue", "--json")
    assert "text from subject, body" in result.err
    assert json.loads(result.out)["labels"]["documents"] == {
        "accounts": 1,
        "hardware": 1,
        "urgent": 1,
    }


def test_a_missing_column_lists_those_there_are(postil, mails):
    result = postil("corpus", "info", str(mails), "--label-column", "topic")
    assert result.code != 0
    assert "topic" in result.err
    assert "subject, body, queue" in result.err


def test_an_unknown_corpus_suggests_a_near_name(postil):
    result = postil("corpus", "info", "reuters-modapt")
    assert result.code == 1
    assert result.err.startswith("postil: ")
    assert "did you mean the corpus reuters-modapte?" in result.err
    assert result.err.count("\n") == 1


def test_an_absent_corpus_says_how_to_get_it(postil):
    result = postil("corpus", "info", "webkb")
    assert result.code == 1
    assert "postil corpus fetch webkb" in result.err


def test_info_counts_a_collection_of_several_files(postil, tmp_path, monkeypatch):
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path))
    folder = tmp_path / "ohsumed"
    folder.mkdir()
    for year in ("87", "88-91"):
        fields = f".U\n{year[:2]}000001\n.M\nHuman; Tea/*AE.\n.T\nTitle.\n.W\nAn abstract.\n"
        (folder / f"ohsumed.{year}").write_text(f".I 1\n{fields}.I 2\n.U\n{year[:2]}2\n.T\nT.\n")
    result = postil("corpus", "info", "ohsumed", "--on-error", "skip", "--json")
    assert result.code == 0
    assert "ohsumed has 233,445 documents, this copy 2; get it again" in result.err
    counted = json.loads(result.out)
    assert counted["splits"] == {"train": 2}
    assert counted["labels"]["documents"] == {"Human": 2, "Tea": 2}
    listed = json.loads(postil("corpus", "list", "--json").out)["corpora"]
    assert [corpus["name"] for corpus in listed if corpus["here"]] == ["demo", "ohsumed"]


def test_convert_there_and_back_keeps_everything(postil, tmp_path):
    assert postil("corpus", "convert", "demo", "demo.jsonl.gz").code == 0
    assert postil("corpus", "convert", "demo.jsonl.gz", "again.csv").code == 0
    assert postil("corpus", "convert", "again.csv", "third.jsonl").code == 0
    first = gzip.decompress((tmp_path / "demo.jsonl.gz").read_bytes())
    assert first == (tmp_path / "third.jsonl").read_bytes()
    assert len(first.splitlines()) == 352


def test_convert_pipes(postil, mails):
    options = ("--to", "fasttext", "--label-column", "queue")
    result = postil("corpus", "convert", "-", "-", *options, stdin=mails.read_bytes())
    assert result.code == 0
    assert result.out.splitlines()[0] == "__label__hardware __label__urgent Printer It burns"


def test_bad_lines_stop_or_are_counted(postil, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"text": "a"}\n{oops\n{"text": "b"}\n')
    strict = postil("corpus", "convert", "bad.jsonl", "out.jsonl")
    assert strict.code == 1
    assert "bad.jsonl, line 2" in strict.err
    assert not (tmp_path / "out.jsonl").exists()
    skipping = postil("corpus", "convert", "bad.jsonl", "out.jsonl", "--on-error", "skip")
    assert skipping.code == 0
    assert "skipped 1 bad document;" in skipping.err
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


def test_split_marks_documents(postil, tmp_path):
    assert postil("corpus", "split", "demo", "s.jsonl", "--test", "0.25", "--seed", "3").code == 0
    lines = (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["split"] for line in lines].count("test") == 88
    again = postil("corpus", "split", "demo", "t.jsonl", "--test", "0.25", "--seed", "3")
    assert again.code == 0
    assert (tmp_path / "s.jsonl").read_bytes() == (tmp_path / "t.jsonl").read_bytes()


def test_split_into_files_and_folds(postil, tmp_path):
    assert postil("corpus", "split", "demo", "parts/", "--to", "csv").code == 0
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == ["test.csv", "train.csv"]
    assert postil("corpus", "split", "demo", "folds", "--folds", "4").code == 0
    tested = [
        json.loads(line)["id"]
        for fold in sorted((tmp_path / "folds").iterdir())
        for line in (fold / "test.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(tested) == len(set(tested)) == 352


@pytest.mark.corpus
def test_fetch_takes_a_copy_and_shows_the_terms(postil, corpus_file):
    result = postil("corpus", "fetch", "reuters-modapte", "--from", str(corpus_file("reuters")))
    assert result.code == 0
    assert "Terms:" in result.err
    assert result.out.strip().endswith("reuters21578.tar.gz")
    assert postil("corpus", "info", "reuters-modapte", "--json").code == 0


def test_fetch_of_the_demo_has_nothing_to_do(postil):
    result = postil("corpus", "fetch", "demo")
    assert result.code == 2
    assert "shipped with postil" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("corpus", "info"), "Missing argument"),
        (("corpus", "info", "demo", "-O", "nonsense"), "NAME=VALUE"),
        (("corpus", "info", "demo", "-O", "a=b"), "no option 'a'"),
        (("corpus", "convert", "demo", "x.unknown"), "--to"),
        (("corpus", "split", "demo", "x.jsonl", "--test", "1.5"), "between 0 and 1"),
        (("corpus", "split", "demo", "x", "--folds", "1"), "2 or more"),
        (("corpus", "info", "demo", "--analyzer", "wrods"), "words"),
    ],
)
def test_wrong_usage_exits_with_two(postil, arguments, message):
    result = postil(*arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


def test_split_refuses_a_format_that_cannot_mark(postil, tmp_path):
    result = postil("corpus", "split", "demo", "s.ft")
    assert result.code == 2
    assert "name a folder" in result.err
    assert not (tmp_path / "s.ft").exists()


def test_folds_need_a_folder(postil):
    result = postil("corpus", "split", "demo", "s.jsonl", "--folds", "5")
    assert result.code == 2
    assert "folds go into a folder" in result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line(postil):
    result = postil("corpus", "convert", "demo", "/dev/full", "--to", "jsonl")
    assert result.code == 1
    assert result.err.splitlines()[-1] == "postil: /dev/full: No space left on device"
