"""`postil path`: a table, and files of weights and curves."""

from __future__ import annotations

import csv
import json

import pytest

LASSO = """name = "lasso"
[learn]
loss = "logistic"
prior = "laplace"
solver = "newton-coordinate"
lam = 0.1
"""


@pytest.fixture
def path(postil, tmp_path):
    (tmp_path / "lasso.toml").write_text(LASSO)

    def run(*options, category="council"):
        return postil("path", "demo", "--category", category, "-r", "lasso.toml", *options)

    return run


def test_a_table(path):
    result = path("--points", "6", "--ratio", "0.1", "--top", "3")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].split() == ["λ", "terms", "constant", "objective", "certificate"]
    points = [line.split() for line in lines[1:7]]
    strengths = [float(row[0]) for row in points]
    assert strengths == sorted(strengths, reverse=True)
    assert strengths[-1] == pytest.approx(strengths[0] / 10, rel=1e-3)
    assert points[0][1] == "0"
    assert int(points[1][1]) > 0
    at = lines.index(next(line for line in lines if "in order of entry" in line))
    assert lines[at].startswith("6 strengths of council, ")
    assert lines[at + 1].split()[:2] == ["λ", "term"]
    assert len(lines[at + 2 :]) == 3
    assert "more terms (--top, or -o FILE.csv for all)" in result.err


def test_files_of_weights(path, tmp_path):
    options = ("--points", "4", "--ratio", "0.1", "--over", "prior_variance")
    assert path(*options, "-o", "weights.csv").code == 0
    assert path(*options, "-o", "weights.json").code == 0
    with (tmp_path / "weights.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    (told,) = json.loads((tmp_path / "weights.json").read_text(encoding="utf-8"))
    assert told["over"] == "prior_variance"
    assert len(told["points"]) == 4
    assert {row["category"] for row in rows} == {"council"}
    for row in rows:
        point = told["points"][int(row["point"])]
        expected = (
            point["intercept"] if row["term"] == "(constant)" else point["weights"][row["term"]]
        )
        assert float(row["weight"]) == expected
    variances = [point["prior_variance"] for point in told["points"]]
    assert variances == sorted(variances)
    assert told["order"][0]["term"] in told["points"][1]["weights"]


@pytest.mark.parametrize(("name", "start"), [("curves.svg", b"<?xml"), ("curves.png", b"\x89PNG")])
def test_curves(path, tmp_path, name, start):
    pytest.importorskip("matplotlib")
    result = path("--points", "4", "--ratio", "0.1", "-o", name)
    assert result.code == 0
    assert result.err.strip().endswith("at the weakest")
    assert (tmp_path / name).read_bytes().startswith(start)


def test_terms_that_the_recipe_selects(path, tmp_path):
    more = '[selection]\nmeasure = "chi-square"\nterms = 3\n'
    (tmp_path / "few.toml").write_text(LASSO + more)
    result = path("-r", "few.toml", "--points", "3")
    assert result.code == 0
    assert int(result.out.splitlines()[3].split()[1]) <= 3


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("-o", "path.txt"), 2, "--output is a file .csv, .json, .svg or .png, not path.txt"),
        (("--over", "sigma"), 2, "'sigma' is not one of 'lam', 'C', 'prior_variance'"),
        (("--ratio", "3"), 2, "ratio must be a number above 0 and under 1"),
        (("-r", "naive-bayes-1"), 2, "and the learner naive-bayes learns otherwise; take"),
        (("-r", "polychotomous-lasso"), 2, "and the learner polychotomous learns otherwise; take"),
        (("-r", "jeffreys-logistic"), 2, "postil: recipe jeffreys-logistic has no path: a path"),
        (
            ("-r", "jeffreys-logistic"),
            2,
            "and the prior jeffreys has no strength; take a recipe",
        ),
        (("-o", "none/path.csv"), 2, "does not exist; make it first"),
    ],
)
def test_what_cannot_be(path, options, code, told):
    result = path(*options)
    assert result.code == code
    assert told in " ".join(result.err.split())


def test_a_category_that_is_not_there(path):
    result = path(category="counsil")
    assert result.code == 1
    assert "demo has no category 'counsil'; did you mean 'council'" in result.err


def vectors(folder):
    lines = "1 2:1 5:1.5\n-1 3:2\n1 5:0.5\n-1 3:1 9:1\n" * 6
    (folder / "train.svm").write_text(lines)


def test_a_path_of_vectors_has_numbers_for_terms(postil, tmp_path):
    vectors(tmp_path)
    result = postil("path", "train.svm", "--category", "1", "--points", "4", "-o", "path.json")
    assert result.code == 0
    assert "train.svm: vectors are used as given; [representation] of lasso-log" in result.err
    (told,) = json.loads((tmp_path / "path.json").read_text())
    assert told["points"][0]["weights"] == {}
    assert {row["term"] for row in told["order"]} <= {"2", "3", "5", "9"}
    assert told["points"][-1]["weights"]["5"] > 0 > told["points"][-1]["weights"]["3"]


def test_a_path_of_vectors_ends_at_what_is_trained(postil, tmp_path):
    vectors(tmp_path)
    exact = f"{LASSO}options = {{ tolerance = 1e-9 }}\n"
    (tmp_path / "one.toml").write_text(exact)
    options = ("-r", "one.toml", "--ratio", "0.1", "-o", "path.json")
    assert postil("path", "train.svm", "--category", "1", *options).code == 0
    last = json.loads((tmp_path / "path.json").read_text())[0]["points"][-1]
    (tmp_path / "same.toml").write_text(exact.replace("lam = 0.1", f"lam = {last['lam']}"))
    assert postil("train", "train.svm", "-o", "v.postil", "-r", "same.toml").code == 0
    (facts,) = json.loads(postil("inspect", "v.postil", "--json").out)["categories"]
    trained = {term["term"]: term["weight"] for term in facts["up"] + facts["down"]}
    assert trained == pytest.approx(last["weights"], rel=1e-3)


def test_vectors_of_which_no_path_can_be_learned(postil, tmp_path):
    vectors(tmp_path)
    (tmp_path / "bare.svm").write_text("1\n-1\n")
    absent = postil("path", "train.svm", "--category", "7")
    assert (absent.code, "train.svm has no category '7'" in absent.err) == (1, True)
    bare = postil("path", "bare.svm", "--category", "1")
    assert (bare.code, "none of the documents has a feature" in bare.err) == (1, True)
    strange = postil("path", "train.svm", "--category", "1", "--split", "train")
    assert (strange.code, "--split does not apply to svmlight" in strange.err) == (2, True)


def test_recipes_are_not_compared_on_vectors(postil, tmp_path):
    vectors(tmp_path)
    result = postil("compare", "train.svm", "lasso-logistic", "ridge-logistic")
    assert result.code == 2
    assert "train.svm: postil compare does not read svmlight files" in result.err
    assert "postil evaluate each model on another" in result.err
