"""`postil train --search`, and what `postil inspect` shows of a search."""

from __future__ import annotations

import json

import pytest

from postil.cli.progress import ProgressBar
from postil.cli.search_text import search_lines, search_sentence
from postil.model.load import load_model
from postil.recipes.recipe import load_recipe

GRID = "1e-2,1e-3,1e-4"


def train(postil, *options):
    return postil("train", "demo", "-o", "s.postil", "--no-test", *options)


def test_the_search_of_the_paper(postil, tmp_path):
    result = train(postil, "-r", "logistic-dual", "--search", "--json")
    assert result.code == 0
    search = json.loads(result.out)["search"]
    assert [row["lam"] for row in search["grid"]] == [10.0**-k for k in range(7)]
    assert (search["folds"], search["shared"], search["measure"]) == (5, True, "f1")
    model = load_model(tmp_path / "s.postil")
    assert {report["lam"] for report in model.reports} == {search["lam"]}
    assert "lam" not in model.recipe["learn"]
    best = max(search["grid"], key=lambda row: (row["value"], row["lam"]))
    assert search["lam"] == best["lam"]


def test_one_for_each_category(postil, tmp_path):
    options = ("--search-per-category", "--search-folds", "3", "--search-grid", GRID)
    result = train(postil, *options)
    assert result.code == 0
    model = load_model(tmp_path / "s.postil")
    search = model.method["search"]
    assert (search["folds"], search["shared"], len(search["grid"])) == (3, False, 3)
    assert sum(row["categories"] for row in search["grid"]) == 12
    assert "chose a λ for each category by break-even in 3 folds: " in result.err
    lines = postil("inspect", "s.postil").out.splitlines()
    at = lines.index("Categories")
    assert lines[at + 1].split()[-1] == "λ"
    shown = {line.split()[0]: line.split()[-1] for line in lines[at + 2 : at + 14]}
    assert shown == {report["category"]: f"{report['lam']:g}" for report in model.reports}


def test_the_summary_shows_what_was_chosen(postil):
    result = train(postil, "--search", "--search-grid", GRID, "--search-measure", "loss")
    best = [line.split() for line in result.err.splitlines() if line.endswith("  best")]
    assert len(best) == 1
    assert f"chose λ = {best[0][0]} for all categories by loss in 5 folds" in result.err
    assert "→" not in result.err


def test_under_a_limit_the_best_is_told_from_what_was_chosen(postil):
    result = train(postil, "-r", "lasso-logistic", "--no-test", "--most-terms", "3")
    assert result.code == 0
    (best,) = [line for line in result.err.splitlines() if "best for all" in line]
    assert best.endswith("  best for all, without the limit")
    assert best.split()[3] == "0"  # what is best without the limit keeps too many for all
    assert "categories are counted at the strength nearest to theirs" in result.err
    assert "with at most 3 terms: " in result.err
    assert "\nSearch for σ²\n" in postil("inspect", "s.postil").out


def test_inspect_shows_a_table_and_no_dump(postil):
    assert train(postil, "--search-grid", GRID, "--search-folds", "2").code == 0
    shown = postil("inspect", "s.postil").out
    lines = shown.splitlines()
    at = lines.index("Search for λ")
    assert lines[at + 1].startswith("  chose λ = ")
    assert lines[at + 2].split() == ["λ", "break-even", "std.", "error", "categories"]
    rows = [line.split() for line in lines[at + 3 : at + 6]]
    assert [row[0] for row in rows] == ["0.01", "0.001", "0.0001"]
    assert [row[3:] for row in rows if row[3] != "0"] == [["12", "best"]]
    assert "standard_error" not in shown
    assert all(len(line) <= 100 for line in lines[: at + 7])


def test_the_end_of_the_grid_is_pointed_out(postil):
    result = train(postil, "--search-grid", "1e-3,10")
    assert "the best λ, 0.001, is at an end of the grid: try a wider one" in result.err


def test_the_end_of_an_automatic_path_is_pointed_out():
    rows = [
        {"C": C, "value": value, "standard_error": 0.0, "categories": 0, "unfinished": 0}
        for C, value in ((1.0, 0.1), (10.0, 0.2))
    ]
    found = {"measure": "f1", "folds": 5, "shared": True, "over": "C", "grid": rows}
    found |= {"automatic": True, "C": 10.0}
    assert search_lines(found)[-1] == (
        "the best C, 10, is at the end of the path: try a smaller ratio in [search]"
    )
    assert "end of the path" not in "".join(search_lines(found | {"C": 1.0}))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--search-grid", "1,x"),
            "--search-grid takes finite numbers above 0 with commas between",
        ),
        (("--search-grid", "1,-1"), "as 1e-2,1e-3,1e-4, or auto, not '1,-1'"),
        (("--search-grid", "1,1"), "each once"),
        (("--search-grid", ""), "--search-grid takes finite numbers"),
        (("--search-measure", "brier"), "--search-measure is one of f1, error, loss"),
        (("--search-measure", "brake-even"), "did you mean break-even?"),
        (("--search-folds", "1"), "--search-folds"),
        (("--search-over", "sigma"), "'sigma' is not one of 'lam', 'C', 'prior_variance'"),
        (("--search-rounds", "9"), "--search-rounds 9 with the recipe default: rounds must be"),
        (("--exactly",), "--exactly needs --most-terms: give both"),
        (
            ("--most-terms", "5"),
            "--most-terms 5 with the recipe default: most_terms needs a prior that leaves terms",
        ),
        (
            ("--search", "-r", "naive-bayes-1"),
            "--search with the recipe naive-bayes-1: Naive Bayes has",
        ),
        (
            ("--search-per-category", "-r", "polychotomous-lasso"),
            "--search-per-category with the recipe polychotomous-lasso: ",
        ),
        (
            ("--search-measure", "log-likelihood"),
            "--search-measure log-likelihood with the recipe default",
        ),
    ],
)
def test_what_cannot_be_searched(postil, options, told):
    result = train(postil, *options)
    assert result.code == 2
    assert told in " ".join(result.err.split())
    assert "[search]" not in result.err


def test_a_recipe_that_tunes_thresholds_is_searched_by_break_even(postil, tmp_path):
    def measure(*options):
        told = train(postil, "--search-grid", GRID, "--search-folds", "2", "--json", *options)
        return json.loads(told.out)["search"]["measure"]

    assert load_recipe("default").decide.rule == "auto"
    assert measure() == "break-even"
    assert measure("--search-measure", "loss") == "loss"
    learn, decide = '[learn]\nloss = "hinge"\n', '[decide]\nrule = "f1"\n'
    (tmp_path / "own.toml").write_text(f'name = "own"\n{learn}{decide}[search]\nfolds = 3\n')
    assert measure("-r", "own.toml") == "f1"
    (tmp_path / "plain.toml").write_text(f'name = "plain"\n{learn}')
    assert measure("-r", "plain.toml") == "f1"


@pytest.mark.parametrize(
    ("step", "total", "unit"),
    [("reading", None, "documents"), ("searching λ", 420, "fits"), ("learning", 12, "categories")],
)
def test_a_bar_names_what_it_counts(monkeypatch, step, total, unit):
    monkeypatch.setattr("postil.common.progress_bar.PATIENCE", -1)
    bar = ProgressBar()
    bar._on_terminal = True
    bar.update(step, 0, total)
    (task,) = bar._bar.tasks
    bar.close()
    assert (task.description, task.total, task.fields["unit"]) == (step, total, unit)


LASSO = 'name = "lasso"\n[learn]\nloss = "logistic"\nprior = "laplace"\n'
LASSO += 'solver = "newton-coordinate"\n'


@pytest.fixture
def lasso(tmp_path):
    path = tmp_path / "lasso.toml"
    path.write_text(LASSO)
    return ("-r", str(path))


def test_over_prior_variances(postil, tmp_path, lasso):
    options = ("--search-over", "prior_variance", "--search-folds", "10", "--search-rounds", "2")
    result = train(postil, *lasso, *options, "--search-grid", "2,20,200")
    assert result.code == 0
    search = load_model(tmp_path / "s.postil").method["search"]
    assert [row["prior_variance"] for row in search["grid"]] == [2.0, 20.0, 200.0]
    assert f"chose σ² = {search['prior_variance']:g} for all categories by f1 in 2 of 10 folds" in (
        result.err
    )


def test_at_most_so_many_terms(postil, tmp_path, lasso):
    options = ("--most-terms", "4", "--search-folds", "2", "--search-measure", "loss")
    result = train(postil, *lasso, *options)
    assert result.code == 0
    model = load_model(tmp_path / "s.postil")
    assert max((model.weights != 0).sum(axis=1).ravel().tolist()[0]) <= 4
    assert "by loss in 2 folds with at most 4 terms: " in result.err
    assert "at most 4 terms in each category: " in result.err
    assert "loss given up for it, by category on average: " in result.err
    assert "end of the grid" not in result.err
    shown = postil("inspect", "s.postil").out
    assert "with at most 4 terms" in shown
    assert "without the limit" in shown


def test_categories_left_without_terms_are_named():
    rows = [
        {"category": name, "lam": 0.1, "terms": terms, "free_terms": 9}
        for name, terms in (("weather", 0), ("sport", 2))
    ]
    grid = [{"lam": 0.1, "value": 0.5, "standard_error": 0.0, "categories": 2, "unfinished": 0}]
    found = {"measure": "loss", "folds": 2, "shared": False, "lam": 0.1, "grid": grid}
    found |= {"categories": rows, "most_terms": 2, "exactly": False}
    found |= {"mean_terms": 1.0, "mean_given_up": None}
    assert search_lines(found)[-1].startswith(
        "on held-out documents no term is best for weather; --exactly keeps some"
    )


def test_inspect_shows_what_was_searched_for(postil, tmp_path, lasso):
    options = ("--search-over", "prior_variance", "--search-per-category", "--search-folds", "2")
    assert train(postil, *lasso, *options, "--search-grid", "20,200").code == 0
    search = load_model(tmp_path / "s.postil").method["search"]
    lines = postil("inspect", "s.postil").out.splitlines()
    at = lines.index("Categories")
    assert lines[at + 1].split()[-1] == "σ²"
    shown = {line.split()[0]: float(line.split()[-1]) for line in lines[at + 2 : at + 14]}
    assert shown == {row["category"]: row["prior_variance"] for row in search["categories"]}


def test_models_of_before_had_lambda_alone():
    rows = [
        {"lam": lam, "value": 0.5, "standard_error": None, "categories": count, "unfinished": 0}
        for lam, count in ((0.1, 0), (0.01, 3))
    ]
    old = {"measure": "f1", "folds": 5, "shared": True, "lam": 0.01, "grid": rows}
    assert search_sentence(old) == "chose λ = 0.01 for all categories by f1 in 5 folds"
    assert search_lines(old)[0].split() == ["λ", "f1", "std.", "error", "categories"]
    assert search_sentence({**old, "shared": False}).endswith("in 5 folds: 0.01")
    assert search_sentence({**old, "cut": "random"}).endswith("in 5 random folds")
