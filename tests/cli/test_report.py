"""`postil report`."""

from __future__ import annotations

from pathlib import Path

from .helpers import save_model


def test_a_report_of_the_demo_corpus_from_a_file_and_a_pipe(postil, tmp_path):
    model = save_model(tmp_path / "demo.postil")
    result = postil("report", model, "demo", "-o", "report.html")
    assert (result.code, result.out, result.err) == (0, "", "wrote report.html\n")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Report on demo.postil" in page
    assert "micro-F1" in page
    assert "http://" not in page
    assert "<script src" not in page
    assert str(tmp_path) not in page
    assert postil("corpus", "convert", "demo", "demo.jsonl").code == 0
    piped = postil("report", model, "-", "-o", "-", stdin=Path("demo.jsonl").read_bytes())
    assert piped.code == 0
    assert piped.out.count("<section") == page.count("<section")
    vectors = postil("report", model, "x.svm", "-o", "report.html")
    assert vectors.code == 2
    assert "an svmlight file has none" in vectors.err
    assert "reads the file" in postil("report", model, "demo", "-o", model).err
