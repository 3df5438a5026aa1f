"""genkin-lewis-madigan-2004: its printed numbers, its runs, and its experiments in the small."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp
from tests.papers.printed import ours, printed_numbers
from tests.papers.samples import terminal_text
from tests.papers.stand_ins import small_experiment, small_recipe

from postil.corpus.document import Document
from postil.corpus.files.archives import members
from postil.corpus.named.registry import open_named
from postil.corpus.opening import open_corpus
from postil.errors import InputError, UsageError
from postil.evaluate.comparisons import Comparison
from postil.evaluate.counts import Counts
from postil.features.selection import Selection
from postil.learn.job import Design
from postil.plots.drawing import svg_bytes
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import load_recipe
from postil.train.assess import assessment
from postil_papers.experiment import Measured
from postil_papers.genkin_lewis_madigan_2004 import FIGURES, figures, runs, selected, tables
from postil_papers.genkin_lewis_madigan_2004.runs import (
    EXACT,
    HYPERPARAMETERS,
    MODAPTE,
    RCV1,
    RECIPES,
    Collection,
    RunFacts,
    by_hyperparameter,
)
from postil_papers.harness import trained, with_strength
from postil_papers.loading import load_paper
from postil_papers.registry import experiments_of, figures_of
from postil_papers.results import ResultStore, using
from postil_papers.runner import reproduce

NAME = "genkin-lewis-madigan-2004"
COLLECTIONS = ("ModApte", "RCV1-v2", "OHSUMED")


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


def table(paper, id):
    return next(table for table in paper.tables if table.id == id)


def test_exhibits(paper):
    assert [each.id for each in paper.tables if each.id.startswith("table")] == [
        "table1",
        "table1-tuned",
        "table1-folds",
        *("table2", "table3", "table4", "table4-optimum"),
        *("table5", "table6", "table7"),
    ]
    assert [figure.id for figure in paper.figures] == [f"figure{n}" for n in (2, 3, 6, 7, 8)]
    kinds = [figure.kind for figure in paper.figures]
    assert kinds == ["line", "line", "parallel", "histogram", "scatter"]
    assert [len(table(paper, f"table{n}").values) for n in range(1, 8)] == [12] * 3 + [18] + [
        10
    ] * 3


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "lasso vs ridge", "fewer"), 39),
        (("table1", "lasso vs SVM", "p"), 0.044),
        (("table1", "ridge vs SVM", "more"), 31),
        (("table2", "lasso vs SVM", "more"), 66),
        (("table2", "lasso vs ridge", "p"), 0.321),
        (("table3", "lasso vs SVM", "p"), 0.705),
        (("table3", "ridge vs SVM", "equal"), 12),
        (("table4", "lasso, default", "ModApte"), 48.64),
        (("table4", "ridge, default", "ModApte"), 37.63),
        (("table4", "SVM, default", "ModApte"), 38.52),
        (("table4", "lasso, tuned", "ModApte"), 52.03),
        (("table4", "ridge, tuned", "ModApte"), 39.71),
        (("table4", "SVM, tuned", "ModApte"), 53.75),
        (("table4", "SVM, tuned", "RCV1-v2"), 57.23),
        (("table4", "ridge, default", "OHSUMED"), 36.09),
        (("table5", "lasso, all", "norm"), 50.77),
        (("table5", "ridge, 5", "CV"), 46.67),
        (("table6", "ridge, 500", "CV"), 48.54),
        (("table7", "ridge, 50", "norm"), 42.59),
        (("features", "ModApte", "mean"), 93.8),
        (("features", "RCV1-v2", "max"), 3750),
        (("features", "OHSUMED", "std"), 393.3),
        (("selection", "Pearson, 50", "norm"), 45.80),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


@pytest.mark.parametrize(("id", "categories"), [("table1", 90), ("table2", 103), ("table3", 77)])
def test_wins_losses_and_ties_are_all_categories(paper, values, id, categories):
    for row in table(paper, id).rows:
        assert sum(values[id, row, each] for each in ("fewer", "more", "equal")) == categories


def test_tables_4_and_5_to_7_agree(values):
    """The cross-validated rows with all features are table 4's, at the default threshold."""
    for collection, id in zip(COLLECTIONS, ("table5", "table6", "table7"), strict=True):
        for method in ("lasso", "ridge"):
            printed = values["table4", f"{method}, default", collection]
            assert values[id, f"{method}, all", "CV"] == printed


def test_directions_and_order_follow_from_the_tables(values):
    for collection, id in zip(COLLECTIONS, ("table1", "table2", "table3"), strict=True):
        for row in ("lasso vs ridge", "lasso vs SVM", "ridge vs SVM"):
            fewer, more, p = (values[id, row, each] for each in ("fewer", "more", "p"))
            better = (fewer > more) - (fewer < more)
            assert values["directions", row, collection] == (better if p < 0.05 else 0)
        for threshold in ("default", "tuned"):
            rows = [f"{method}, {threshold}" for method in ("lasso", "ridge", "SVM")]
            falling = sorted(rows, key=lambda row: -values["table4", row, collection])
            assert [values["order", row, collection] for row in falling] == [1, 2, 3]


def test_the_study_of_selection_stands_beside_bns(paper, values):
    for row in table(paper, "selection").rows:
        terms = row.rpartition(", ")[2]
        for column in ("CV", "norm"):
            assert values["selection", row, column] == values["table5", f"ridge, {terms}", column]


def test_what_is_judged(paper):
    tolerances = {each.id: each.tolerance for each in paper.tables if each.tolerance}
    assert {id: found.each for id, found in tolerances.items()} == {
        "terms": 2,
        "directions": 0,
        "table4": 3,
        "order": 0,
        "table5": 3,
        "features": 46.9,
        "claims": 0,
    }
    assert tolerances["table4"].judges("lasso, tuned", "ModApte")
    assert not tolerances["table4"].judges("lasso, tuned", "OHSUMED")
    assert not tolerances["features"].judges("ModApte", "max")


def test_counts_are_whole_and_p_is_not(paper):
    first = table(paper, "table1")
    assert (first.decimals_in("fewer"), first.decimals_in("p")) == (0, 3)


# -------------------------------------------------------------------------- on the demo corpus

DEMO = Collection("ModApte", "demo", "shared", None)


@pytest.fixture(scope="module")
def experiments():
    own = experiments_of(NAME)
    demo = {"collection": DEMO, "category": "health", "width": 5}
    for name, each in own.items():
        if "path of" in name:  # small enough, and of interest at its optimum
            settings = {**each.settings, "collection": DEMO, "category": "health"}
            own[name] = replace(each, settings=settings)
        elif name.startswith("ModApte"):
            own[name] = small_experiment(each, **demo)
    return own


@pytest.fixture(scope="module")
def whole(paper, experiments, tmp_path_factory):
    """The paper on the demo corpus in the place of ModApte; the two others are absent."""
    nowhere = str(tmp_path_factory.mktemp("nowhere"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POSTIL_DATA", nowhere)
        patch.setenv("XDG_CACHE_HOME", nowhere)
        return reproduce(paper, experiments)


def test_all_that_is_promised_of_modapte_is_there(paper, experiments, whole):
    assert not whole.failures
    promised = {
        key
        for name, each in experiments.items()
        if name.startswith("ModApte")
        for key in each.expected(paper)
    }
    filled = {cell.key for cell in whole.cells() if cell.ours is not None}
    assert promised <= filled
    # Beyond what is promised there are only the points of figures.
    assert {key.table for key in filled - promised} == set(FIGURES)


def test_absent_corpora_are_told_and_nothing_fails(whole):
    cells = {cell.key: cell for cell in whole.cells()}
    for place in (("table2", "lasso vs SVM", "p"), ("table4", "SVM, tuned", "RCV1-v2")):
        cell = cells[place]
        assert (cell.ours, cell.error, cell.verdict) == (None, "", None)
        assert "the corpus rcv1-v2-sample is absent" in cell.remark
        assert "postil corpus fetch rcv1-v2-sample" in cell.remark
    assert "postil corpus fetch ohsumed" in cells["table7", "ridge, 5", "CV"].remark
    text = terminal_text(whole, 200)
    assert "failed" not in text
    assert "not run: the corpus ohsumed is absent" in text


def test_rows_of_table_1_add_up(whole):
    cells = {cell.key: cell.ours for cell in whole.cells()}
    for id in ("table1", "table1-tuned"):
        for pair in tables.PAIRS:
            assert sum(cells[id, pair, each] for each in ("fewer", "more", "equal")) == 12
            assert 0 < cells[id, pair, "p"] <= 1


def test_tables_4_and_5_share_their_runs(whole):
    cells = {cell.key: cell.ours for cell in whole.cells()}
    for method in ("lasso", "ridge"):
        default = cells["table4", f"{method}, default", "ModApte"]
        assert cells["table5", f"{method}, all", "CV"] == default
    for terms in tables.SIZES:
        for choice in HYPERPARAMETERS:
            bns = cells["table5", f"ridge, {terms}", choice]
            assert cells["selection", f"BNS, {terms}", choice] == bns


def test_figures_6_and_7_hold_every_category(whole):
    errors = ours(whole, "figure6")
    assert len(errors) == 12 * 3
    assert all(row.startswith("ModApte: ") for row, _ in errors)
    assert sum(cell.ours for cell in ours(whole, "figure7").values()) == 12


def test_paths_shrink_with_the_variance(whole):
    little, most = 0.1, max(figures.VARIANCES)
    for id in ("figure2", "figure3"):
        cells = {(row, float(x)): abs(cell.ours) for (row, x), cell in ours(whole, id).items()}
        terms = {row for row, _ in cells}
        assert len(terms) == figures.PATH_TERMS.terms
        narrow = np.array([cells[term, little] for term in terms])
        wide = np.array([cells[term, most] for term in terms])
        assert narrow.max() < 0.2 < wide.max()
        # Only the Laplace prior sets parameters to zero.
        assert bool((narrow == 0).any()) == (id == "figure3")


def test_the_drawings(whole):
    drawn = figures_of(whole)
    assert set(drawn) == set(FIGURES)
    for figure in drawn.values():
        assert ElementTree.fromstring(svg_bytes(figure)).tag.endswith("svg")
    assert [line.y[0] for line in drawn["figure6"].marks()] != sorted(
        line.y[0] for line in drawn["figure6"].marks()
    )
    assert drawn["figure6"].x.names == ("ridge", "lasso", "SVM")
    assert (drawn["figure8"].x.scale, drawn["figure8"].y.scale) == ("log", "log")


@pytest.mark.parametrize(
    ("left", "right", "p", "expected"),
    [(39, 20, 0.005, 1), (12, 31, 0.005, -1), (48, 40, 0.05, 0), (30, 30, 0.01, 0)],
)
def test_direction(left, right, p, expected):
    compared = Comparison("wilcoxon", left, right, 5, 0, 1.0, p)
    assert tables.direction(compared) == expected


def facts_with(wrong):
    """A run with so many false positives in each category."""
    none = np.zeros(len(wrong), dtype=np.int64)
    counts = Counts(none, np.array(wrong, dtype=np.int64), none, cases=20)
    return RunFacts([*"abcdefgh"], [1] * 8, [1] * 8, [2] * 8, {"tuned": counts})


def test_fewer_errors_are_better():
    lasso, ridge, svm = (facts_with(w) for w in ([1] * 8, list(range(2, 10)), [1] * 7 + [0]))
    found = tables.compare(lasso, ridge, "tuned")
    assert tables.columns(found)["fewer"] == 8
    assert tables.direction(found) == 1
    assert tables.direction(tables.compare(ridge, svm, "tuned")) == -1
    equal = tables.columns(tables.compare(lasso, svm, "tuned"))
    assert equal == {"fewer": 0, "more": 1, "equal": 7, "p": 1.0}


def test_places_count_within_a_threshold():
    f1 = dict(zip(tables.ROWS, (48.0, 37.0, 48.0, 52.0, 39.0, 53.0), strict=True))
    assert list(tables.places(f1).values()) == [1, 3, 1, 2, 3, 1]


def test_no_feature_at_all_has_no_ratio(monkeypatch):
    nothing = RunFacts(["a"], [1], [0], [1], {})
    monkeypatch.setattr(figures, "run_of", lambda *_: nothing)
    with pytest.raises(UsageError, match="no category has any feature"):
        figures.run_ratio(MODAPTE, {"norm": None, "CV": None})


def test_the_default_c_of_svm_light():
    matrix = sp.csr_matrix([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    chosen = Selection.of([np.array(ids, np.int32) for ids in ([0, 1], [1, 2], [])], 3)
    # Mean norms 5/3 and (4 + 2)/3; a category without terms has nothing to learn.
    found = selected.default_c(Design(matrix), chosen)
    np.testing.assert_allclose(found, [9 / 25, 1 / 4, 1.0])


def test_a_claim_names_the_selections_behind_it(monkeypatch):
    f1 = {"all features": 48.0, "BNS, 5": 48.0, "BNS, 50": 48.1, "BNS, 500": 50.0}
    monkeypatch.setattr(selected, "f1_of", lambda _, row, __: f1[row])
    recipes = {row: row for row in f1}
    found = selected.run_claim("beats", "lasso, CV", "default", MODAPTE, recipes)
    claim = found["claims", "beats", "ModApte"]
    assert (claim.value, claim.remark) == (1.0, "beats: BNS, 50; BNS, 500")
    assert found["selected", "BNS, 5", "lasso, CV"].value == 48.0
    f1["all features"] = 50.0
    assert selected.run_claim("beats", None, "default", MODAPTE, recipes) == {
        ("claims", "beats", "ModApte"): Measured(0.0)
    }


def test_a_constant_counts_where_something_was_learned(monkeypatch):
    facts = RunFacts([*"abc"], [1, 2, 0], [3, 0, 0], [4, 1, 0], {})
    monkeypatch.setattr(selected, "run_of", lambda *_: facts)
    recipes = {selected.WHOLE: None}
    (value,) = selected.run_constant("out", MODAPTE, recipes).values()
    assert value == 0
    facts.parameters[1] = 0
    (value,) = selected.run_constant("out", MODAPTE, recipes).values()
    assert value == 1


def test_the_svm_on_all_terms_is_that_of_its_recipe():
    # With every term selected C is 1, and the numbers are those of a run.
    recipe = runs.prepared(load_recipe(RECIPES["SVM"]), DEMO)
    all_terms = replace(recipe, selection=TermSelection("bns", 10**6))
    run = runs.run_of(DEMO, recipe)
    found = selected.svm_f1(DEMO, all_terms)
    assert found == pytest.approx({each: run.macro_f1(each) for each in runs.THRESHOLDS}, abs=1.0)


def test_norm_based_leaves_the_search_out():
    recipe = by_hyperparameter(load_recipe("ridge-logistic-bns-5"))["norm"]
    assert (recipe.search, recipe.learn["prior_variance"]) == (None, "norm")
    assert recipe.selection.terms == 5


# --------------------------------------------------------------------------------------- runs


@pytest.fixture(scope="module")
def lasso():
    return with_strength(small_recipe(load_recipe("lasso-logistic")), prior_variance=10.0)


@pytest.fixture(scope="module")
def tested(lasso):
    return trained(open_corpus("demo"), runs.prepared(lasso, DEMO), categories="shared")


@pytest.fixture(scope="module")
def facts(tested):
    return runs.run_facts(*tested, None)


def test_both_thresholds_come_of_one_model(lasso, facts):
    """Return the decisions of the recipe when it is trained with either rule."""
    for threshold, rule in {"default": "default", "tuned": runs.TUNED}.items():
        wanted = replace(lasso, decide=replace(lasso.decide, rule=rule))
        report = trained(open_corpus("demo"), wanted, categories="shared")[1].report
        assert facts.categories == list(report.categories)
        assert facts.errors(threshold).tolist() == report.counts.errors.tolist()
        f1 = np.nan_to_num(report.values["f1"], nan=1.0)
        assert facts.macro_f1(threshold) == pytest.approx(100 * f1.mean())
    assert facts.errors("default").tolist() != facts.errors("tuned").tolist()


def test_features_are_weights_that_are_not_zero(tested, facts):
    model, _ = tested
    weights = model.weights.toarray()
    for category, features, parameters, positives in zip(
        facts.categories, facts.features, facts.parameters, facts.positives, strict=True
    ):
        place = model.names.index(category)
        assert features == np.count_nonzero(weights[place])
        assert parameters == features + (model.intercepts[place] != 0)
        assert positives == model.training.members[place]
    assert 0 < sum(facts.features) < weights.size


def test_categories_without_any_document_are_predicted_for_none(tested, facts):
    found = runs.run_facts(*tested, len(facts.categories) + 2)
    assert found.categories == [*facts.categories, "absent 1", "absent 2"]
    assert found.errors("tuned").tolist() == [*facts.errors("tuned").tolist(), 0, 0]
    known = facts.macro_f1("tuned") * len(facts.categories)
    assert found.macro_f1("tuned") == pytest.approx((known + 200) / (len(facts.categories) + 2))
    assert found.features[-2:] == found.parameters[-2:] == found.positives[-2:] == [0, 0]


def test_a_category_that_training_lacks_was_not_learned(tested):
    model, _ = tested
    stranger = Document("new", {"title": "a", "body": "b"}, ("never seen",), "test")
    documents = [*open_corpus("demo").only("test"), stranger]
    found = runs.run_facts(model, assessment(model, documents, categories="all"), None)
    place = found.categories.index("never seen")
    assert (found.features[place], found.parameters[place], found.positives[place]) == (0, 0, 0)
    assert [found.errors(each)[place] for each in ("default", "tuned")] == [1, 1]


def test_more_categories_than_the_list_are_refused():
    runs.refuse_more(open_corpus("demo"), 12, "demo")
    with pytest.raises(InputError, match="demo has 12 categories here, and the paper's list 3"):
        runs.refuse_more(open_corpus("demo"), 3, "demo")


def test_a_run_is_done_once_and_kept(tmp_path, monkeypatch, lasso):
    collection, done = replace(DEMO, wanted=14), []
    monkeypatch.setattr(runs, "trained", lambda *a, **b: done.append(1) or trained(*a, **b))
    for _ in range(2):
        with using(ResultStore(tmp_path)):
            first, second = (runs.run_of(collection, lasso) for _ in range(2))
        assert first.features == second.features
        assert first.categories[-2:] == ["absent 1", "absent 2"]
    assert done == [1]
    with using(ResultStore(tmp_path)):
        runs.run_of(collection, with_strength(lasso, prior_variance=1.0))
    assert done == [1, 1]


@pytest.mark.parametrize(
    "name", [*RECIPES.values(), *tables.BY_SIZE.values(), *tables.BY_MEASURE.values()]
)
def test_recipes_are_those_of_the_reproduction(name):
    """A run changes a recipe's thresholds only: reading, folds and learning are its own."""
    recipe = load_recipe(name)
    run = runs.prepared(recipe, MODAPTE)
    assert run == replace(recipe, decide=replace(recipe.decide, rule=runs.TUNED))
    assert recipe.search is None or recipe.search.cut == "by-category"


def test_recipes_are_read_and_searched_as_the_paper_says():
    recipe = load_recipe(EXACT["lasso"])
    assert recipe.search.cut == "stratified"
    assert runs.prepared(recipe, MODAPTE).search.cut == "by-category"
    assert runs.prepared(load_recipe(RECIPES["SVM"]), MODAPTE).search is None
    stems = RCV1.read_by(recipe).representation
    assert (stems.analyzer, stems.fields) == ("whitespace", ("body",))
    assert MODAPTE.read_by(recipe).representation.fields == recipe.representation.fields
    assert set(RECIPES) == set(EXACT)
    with pytest.raises(UsageError, match="demo has no option 'loose_text'"):
        list(replace(MODAPTE, corpus="demo").documents())


# -------------------------------------------------------- terms of ModApte, by section 5.2.1

PRINTED = (18978, 21989)
STORY = re.compile("<REUTERS(.*?)>(.*?)</REUTERS>", re.DOTALL)
SPLIT = re.compile('TOPICS="YES" LEWISSPLIT="(TRAIN|TEST)"')


@pytest.fixture(scope="module")
def recipe():
    return MODAPTE.read_by(load_recipe(RECIPES["SVM"]))


def counts(documents, recipe):
    return tuple(map(len, tables.distinct_terms(documents, recipe)))


def part(name: str, story: str) -> str:
    found = re.search(f"<{name}>(.*?)</{name}>", story, re.DOTALL)
    return unescape(found[1]) if found else ""


def without_control_characters(path):
    """The stories with a reference to a control character dropped, so that it parts no words."""
    for member in members(path):
        for attributes, story in STORY.findall(member.read().decode("latin-1")):
            if split := SPLIT.search(attributes):
                fields = {"title": part("TITLE", story), "body": part("BODY", story)}
                yield Document("", fields, (), split[1].lower())


@pytest.mark.corpus
def test_modapte_has_the_terms_that_the_paper_counts_but_two(corpus_file, recipe):
    corpus = open_named(MODAPTE.corpus, None, MODAPTE.choices, path=corpus_file("reuters"))
    assert counts(corpus, recipe) == (PRINTED[0], PRINTED[1] - 2)


@pytest.mark.corpus
def test_without_stray_control_characters_it_has_them_all(corpus_file, recipe):
    documents = without_control_characters(corpus_file("reuters"))
    assert counts(documents, recipe) == PRINTED
