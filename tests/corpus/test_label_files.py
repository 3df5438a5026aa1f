"""The readers of label vocabularies: every format gives the same, and bad files one sentence."""

from __future__ import annotations

import gzip
import json
import pickle
import sys

import pytest

from postil.corpus.label_files import read_label_file
from postil.errors import InputError, MissingExtraError, UsageError

BASE = "http://example.org/"
TABLE = [
    ["id", "prefLabel@en", "label_de", "notation", "altLabel", "broader", "deprecated"],
    [f"{BASE}top", "Science", "Wissenschaft", "", "", "", ""],
    [f"{BASE}1", "Physics", "Physik", "530", "mechanics;optics", f"{BASE}top", "false"],
    [f"{BASE}2", "Alchemy, old", "Alchimie", "540", "", f"{BASE}1;{BASE}top", "true"],
]
TURTLE = f"""
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix : <{BASE}> .
:scheme a skos:ConceptScheme ; skos:prefLabel "not a label"@en .
:top a skos:Concept ; skos:prefLabel "Science"@en, "Wissenschaft"@de ; skos:narrower :1 .
:1 a skos:Concept ; skos:prefLabel "Physics"@en, "Physik"@de ; skos:notation "530" ;
    skos:altLabel "mechanics"@en, "optics"@en .
:2 a skos:Concept ; skos:prefLabel "Alchemy, old"@en, "Alchimie"@de ; skos:notation "540" ;
    skos:broader :top, :1 ; owl:deprecated true .
"""


def as_csv(separator):
    rows = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in TABLE]
    return "\n".join(separator.join(row) for row in rows)


def as_json():
    keys = ["id", "names", "notation", "alternatives", "broader", "deprecated"]
    return json.dumps(
        [
            dict(
                zip(
                    keys,
                    [
                        label,
                        {"en": english, "de": german},
                        notation,
                        others.split(";") if others else [],
                        broader.split(";") if broader else [],
                        old == "true",
                    ],
                    strict=True,
                )
            )
            for label, english, german, notation, others, broader, old in TABLE[1:]
        ]
    )


def as_xml():
    rdflib = pytest.importorskip("rdflib")
    return rdflib.Graph().parse(data=TURTLE, format="turtle").serialize(format="xml")


FORMS = {
    "labels.csv": lambda: as_csv(","),
    "labels.tsv": lambda: as_csv("\t"),
    "labels.json": as_json,
    "labels.ttl": lambda: TURTLE,
    "labels.rdf": as_xml,
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same(name, packed, tmp_path):
    if name.endswith(("ttl", "rdf")):
        pytest.importorskip("rdflib")
    expected = tmp_path / "expected.csv"
    expected.write_text(as_csv(","))
    path = tmp_path / (f"{name}.gz" if packed else name)
    content = FORMS[name]().encode("utf-8-sig" if name.endswith("sv") else "utf-8")
    path.write_bytes(gzip.compress(content) if packed else content)
    found = read_label_file(path)
    assert dict(found.entries) == dict(read_label_file(expected).entries)
    assert found.notes == ()
    assert pickle.loads(pickle.dumps(found)) == found  # as scikit-learn's clone copies it
    assert read_label_file(path, "de").name(f"{BASE}1") == "Physik"


def test_the_table_of_annif(tmp_path):
    path = tmp_path / "yso.tsv"
    path.write_text("<http://x.org/p1>\tphysics\t53\n<http://x.org/p2>\tchemistry\n")
    found = read_label_file(path)
    assert found.find("chemistry") == "http://x.org/p2"
    assert found.find("53") == "http://x.org/p1"


@pytest.mark.parametrize(
    "content",
    [
        '{"1": "one", "2": "two"}',
        '{"labels": [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]}',
    ],
)
def test_short_json(content, tmp_path):
    path = tmp_path / "labels.json"
    path.write_text(content)
    assert read_label_file(path).titles(["2", "1"]) == ("two", "one")


def test_columns_that_are_not_read_are_told(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("uri;label;colour\na;one;red\n")
    assert read_label_file(path).notes == (f"{path}: not read: colour",)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.csv", b"id,label\na,one\n\nb,two\na,three\n", "line 5: the id 'a' is in line 2 too"),
        ("x.csv", b"label\none\n", "line 2: has no id; name the column of ids id or uri"),
        ("x.csv", b"id,label\na,one,more\n", "line 2: has 3 cells, and there are 2 columns"),
        ("x.csv", b"id,deprecated\na,perhaps\n", "line 2: deprecated is true or false"),
        ("x.csv", b"id,label\n\xff,one\n", "line 2: is not UTF-8"),
        ("x.csv", b'id,label\na,"one\n', "line 2: unexpected end of data"),
        ("x.csv", b"id,broader\na,b\nb,a\n", r"x\.csv: the label '.' is above itself"),
        ("x.csv", b"id,label\n", "holds no label"),
        ("x.csv", b"", "holds no label"),
        ("x.json", b"[1]", "label 1: must be a mapping, is 1"),
        ("x.json", b'[{"id": "a", "name": ["b"]}]', "label 1: name must be a text"),
        ("x.json", b"7", "must hold a list of labels"),
        ("x.json", b"{", "is not JSON"),
        ("x.ttl", b"<a> <b", "is not turtle that rdflib reads"),
        ("x.rdf", b"<a>", "is not xml that rdflib reads"),
        ("x.doc", b"", "labels are read from .csv, .tsv, .json or SKOS"),
        ("x.csv.gz", b"\x1f\x8b\x08", "end too early"),
    ],
)
def test_bad_files(name, content, sentence, tmp_path):
    if name.endswith(("ttl", "rdf")):
        pytest.importorskip("rdflib")
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises((InputError, UsageError), match=sentence) as caught:
        read_label_file(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_absent_and_a_language_nobody_speaks(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_label_file(tmp_path / "none.csv")
    path = tmp_path / "labels.csv"
    path.write_text("id,label@en\na,one\n")
    with pytest.raises(UsageError, match=r"labels\.csv: no label has a name in the language 'de'"):
        read_label_file(path, "de")


def test_skos_without_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    path = tmp_path / "labels.ttl"
    path.write_text(TURTLE)
    with pytest.raises(MissingExtraError, match="the extra skos of postil"):
        read_label_file(path)
