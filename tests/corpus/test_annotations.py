"""Exports of annotation tools, in the shapes in which they write them."""

from __future__ import annotations

import json

import pytest

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus
from postil.errors import DocumentError


def result(*choices, control="topic"):
    value = {"choices": list(choices)}
    return {"value": value, "id": "Dx", "from_name": control, "to_name": "text", "type": "choices"}


def annotation(*results, **others):
    return {
        "id": 1001,
        "completed_by": 1,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 4.2,
        **others,
    }


def task(number, text, *annotations, **others):
    return {
        "id": number,
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "data": {"text": text},
        "meta": {},
        "created_at": "2024-03-09T21:52:49.513742Z",
        "project": 83,
        **others,
    }


TASKS = [
    task(1, "We won", annotation(result("sport"))),
    task(2, "He sings at the match", annotation(result("sport", "music"))),
    task(3, "nobody looked", predictions=[{"result": [result("sport")], "score": 0.9}]),
    task(4, "none of these", annotation()),
    task(5, "skipped", annotation(result("sport"), was_cancelled=True)),
    task(
        6,
        "two people differ",
        annotation(result("sport")),
        annotation(result("sport", "music"), completed_by=2),
    ),
    task(7, "settled", annotation(result("music")), annotation(result("sport"), ground_truth=True)),
    task(8, "a span", annotation({"value": {"start": 0, "end": 1, "labels": ["X"]}})),
]


def judged(documents):
    return {d.id: (d.labels, d.not_labels, dict(d.probabilities)) for d in documents}


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "indented"])
def test_tasks_of_label_studio(tmp_path, indent):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(TASKS, indent=indent))
    corpus = open_corpus(path)
    assert "as label-studio: text from text; labels from labels; ids from id" in corpus.description
    assert judged(corpus) == {
        "1": (("sport",), None, {}),
        "2": (("sport", "music"), None, {}),
        "3": ((), (), {}),  # a prediction is no label
        "4": ((), None, {}),
        "5": ((), (), {}),
        "6": (("sport", "music"), None, {"music": 0.5}),
        "7": (("sport",), None, {}),
        "8": ((), None, {}),
    }


def test_one_control_of_several(tmp_path):
    path = tmp_path / "export.json"
    both = annotation(result("sport"), result("angry", control="mood"))
    path.write_text(json.dumps([task(1, "We lost", both)]))
    assert judged(open_corpus(path))["1"][0] == ("sport", "angry")
    assert judged(open_corpus(path, ReadOptions(label_column="mood")))["1"][0] == ("angry",)


def minimal(number, text, annotator, **choices):
    about = {"annotator": annotator, "annotation_id": number, "lead_time": 1.5}
    return {"text": text, "id": number, **choices, **about, "created_at": "2024-03-09T21:52:49Z"}


def test_json_min_of_label_studio(tmp_path):
    path = tmp_path / "export.json"
    records = [
        minimal(1, "We won", 1, mood="glad"),
        minimal(2, "He sings", 1, mood={"choices": ["glad", "calm"]}),
        minimal(1, "We won", 2, mood="calm"),
        minimal(3, "no choice", 1),
    ]
    path.write_text(json.dumps(records))
    assert judged(open_corpus(path, ReadOptions(label_column="mood"))) == {
        "1": (("glad", "calm"), None, {"glad": 0.5, "calm": 0.5}),
        "2": (("glad", "calm"), None, {}),
        "3": ((), None, {}),
    }
    with pytest.raises(DocumentError, match=r"record 1: .*name the control .*--label-column"):
        list(open_corpus(path))


PRODIGY = [
    {
        "text": "We won",
        "_input_hash": -15,
        "_task_hash": 7,
        "label": "sport",
        "score": 0.6,
        "priority": 0.6,
        "spans": [],
        "meta": {"score": 0.6},
        "_session_id": None,
        "_view_id": "classification",
        "answer": "accept",
    },
    {"text": "We won", "_input_hash": -15, "_task_hash": 8, "label": "music", "answer": "reject"},
    {
        "text": "He sings",
        "_input_hash": 21,
        "options": [{"id": "music", "text": "Music"}, {"id": "sport", "text": "Sport"}],
        "accept": ["music"],
        "config": {"choice_style": "multiple"},
        "answer": "accept",
    },
    {"text": "unclear", "_input_hash": 30, "label": "sport", "answer": "ignore"},
    {"text": "no answer yet", "_input_hash": 31},
    {"text": "We won", "_input_hash": -15, "_task_hash": 7, "label": "sport", "answer": "reject"},
    {
        "text": "numbered",
        "_input_hash": 40,
        "options": [{"id": 0, "text": "music"}, {"id": 1, "text": "sport"}],
        "accept": [1],
        "answer": "accept",
    },
]


def test_answers_of_prodigy(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in PRODIGY))
    corpus = open_corpus(path)
    assert "as prodigy: text from text" in corpus.description
    assert judged(corpus) == {
        "-15": (("sport",), ("music",), {"sport": 0.5}),
        "21": (("music",), ("sport",), {}),
        "30": ((), (), {}),
        "31": ((), (), {}),
        "40": (("sport",), ("music",), {}),
    }


def test_lines_of_doccano(tmp_path):
    path = tmp_path / "all.jsonl"
    records = [
        {"id": 11, "text": "We won", "label": ["sport"], "Comments": []},
        {"id": 12, "text": "He sings", "label": [], "Comments": ["which one?"]},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    corpus = open_corpus(path)
    said = "as doccano: text from text; labels from label; ids from id; not used: Comments"
    assert corpus.description.endswith(said)
    assert judged(corpus) == {"11": (("sport",), None, {}), "12": ((), (), {})}
    plain = [{**record, "Comments": "none"} for record in records]
    path.write_text("".join(json.dumps(record) + "\n" for record in plain))
    assert judged(open_corpus(path))["12"] == ((), None, {}), "JSON Lines, where nothing is a label"
    assert judged(open_corpus(path, ReadOptions(format="doccano")))["12"] == ((), (), {})
    write_corpus([Document("b", {"text": "x"}, (), not_labels=())], path, "doccano")
    assert json.loads(path.read_text()) == {"id": "b", "text": "x", "label": []}
    document = Document("a", {"title": "We", "body": "won"}, ("sport",), "train", group="g")
    write_corpus([document], path, "doccano")
    assert json.loads(path.read_text()) == {
        "id": "a",
        "text": "We\n\nwon",
        "label": ["sport"],
        "split": "train",
        "group": "g",
    }


def test_suggestions_become_predictions_and_questions(tmp_path):
    documents = [Document("a", {"text": "x"}, ("sport",), None, probabilities={"sport": 0.8})]
    write_corpus(documents, tmp_path / "tasks.json", "label-studio")
    (written,) = json.loads((tmp_path / "tasks.json").read_text())
    assert "annotations" not in written
    assert written["data"] == {"id": "a", "text": "x"}
    assert written["predictions"][0]["score"] == 0.8
    assert written["predictions"][0]["result"][0]["value"] == {"choices": ["sport"]}
    write_corpus(documents, tmp_path / "tasks.jsonl", "prodigy")
    assert json.loads((tmp_path / "tasks.jsonl").read_text()) == {
        "text": "x",
        "label": "sport",
        "score": 0.8,
        "meta": {"id": "a"},
    }


@pytest.mark.parametrize(
    ("format", "record", "message"),
    [
        ("label-studio", {"text": "x"}, "is no task of Label Studio"),
        ("label-studio", {"data": {}, "annotations": [3]}, "is not as Label Studio writes it"),
        (
            "label-studio",
            {"data": {}, "annotations": [annotation({"value": {"choices": "sport"}})]},
            "choices must be a list of strings",
        ),
        ("prodigy", {"text": "x", "answer": "maybe"}, "none of accept, reject and ignore"),
        ("prodigy", {"text": "x", "answer": "accept", "accept": [["a"]]}, "is not as Prodigy"),
        ("prodigy", ["x"], "not an object"),
    ],
)
def test_a_bad_record_is_named_or_counted(tmp_path, format, record, message):
    path = tmp_path / "bad.jsonl"
    good = {"data": {"text": "fine"}} if format == "label-studio" else {"text": "fine"}
    path.write_text(json.dumps(good) + "\n" + json.dumps(record) + "\n")
    with pytest.raises(DocumentError, match=f"line 2: .*{message}"):
        list(open_corpus(path, ReadOptions(format=format)))
    corpus = open_corpus(path, ReadOptions(format=format, on_error="skip"))
    assert [document.fields["text"] for document in corpus] == ["fine"]
    assert corpus.problems.count == 1
