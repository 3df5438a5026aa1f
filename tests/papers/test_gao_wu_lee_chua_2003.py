"""gao-wu-lee-chua-2003: its printed numbers, its recipes, and its experiments in the small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.papers.printed import ours, printed, printed_numbers
from tests.papers.stand_ins import DIRECTIONS, LARGEST, small, small_experiment, small_recipe

from postil.errors import UsageError
from postil.evaluate.counts import Counts
from postil.learn.job import Job
from postil.learn.merit.figures import FBeta
from postil.learn.merit.objective import Merit
from postil.learn.merit.options import GpdOptions
from postil.recipes.recipe import load_recipe
from postil.vectors.projection import DirectionsCache, Projection
from postil_papers.gao_wu_lee_chua_2003 import beta, figures, runs, studies, tables
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, ascend, descend, stops_of
from postil_papers.gao_wu_lee_chua_2003.runs import (
    BPA_TREE,
    COLLECTION,
    F1,
    MCE,
    MFOM_TREE,
    MULTI,
    Tally,
    learned,
    learning,
    linear_svm,
    spaces_of,
    tally_of,
)
from postil_papers.gao_wu_lee_chua_2003.tables import (
    BASELINE,
    DIMENSIONS,
    FULL,
    MFOM,
    REDUCED,
    STOPS,
    SVM,
    USUAL,
)
from postil_papers.harness import TOP_TEN
from postil_papers.loading import load_paper
from postil_papers.registry import experiments_of, figures_of
from postil_papers.runner import reproduce

NAME = "gao-wu-lee-chua-2003"


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


@pytest.fixture(scope="module")
def by_id(paper):
    return {table.id: table for table in paper.tables}


def test_exhibits(paper, by_id):
    printed_ids = [name for name in by_id if name.startswith("table") and "-" not in name]
    assert printed_ids == ["table1", "table2", "table3", "table4"]
    assert [figure.id for figure in paper.figures] == ["figure2", "figure3", "figure4"]
    for name in ("table2", "table3"):
        assert by_id[name].rows == tuple(map(str, DIMENSIONS))
        assert by_id[name].columns == tuple(STOPS)
    assert by_id["table4"].rows == (*TOP_TEN, tables.MICRO_ROW)
    assert by_id["table4"].columns == (BASELINE, SVM, MFOM)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "Top-10, micro-avg", "MCE, 400"), 0.9099),
        (("table1", "Other 80, macro-avg", "F1, 1613"), 0.5124),
        (("table2", "1200", "1000ite"), 0.5660),
        (("table2", "100", "3000ite"), 0.4612),
        (("table3", "400", "1000ite"), 0.8723),
        (("table3", "1613", "2000ite"), 0.8842),
        (("table4", "grain", "Linear SVM"), 0.931),
        (("table4", "corn", "MFoM"), 0.891),
        (("table4", "trade", "Baseline"), 0.730),
        (("table4-macro", "macro-avg (all 90)", "Baseline"), 0.519),
        (("figure3", "acq", "0"), 0.362),
        (("figure3", "acq", "150"), 0.960),
        (("collection", "Reuters-21578", "terms"), 10118),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


def test_what_a_reproduction_is_held_to(by_id):
    micro = by_id["table4"].tolerance
    assert (micro.rows, micro.columns) == (("micro-avg (all 90)",), ("Baseline", "MFoM"))
    assert micro.each == by_id["table3-trend"].tolerance.each == 0.015
    for name in ("table4-macro", "table4-mean", "table2-trend"):
        assert by_id[name].tolerance.each == 0.03


def test_table_4_rounds_table_2_and_table_3(values):
    full = str(FULL)
    micro = values["table4", tables.MICRO_ROW, MFOM]
    macro = values["table4-macro", tables.MACRO_ROW, MFOM]
    assert micro == pytest.approx(values["table3", full, USUAL], abs=5e-4)
    assert macro == pytest.approx(values["table2", full, USUAL], abs=5e-4)


@pytest.mark.parametrize("trend", tables.TRENDS)
def test_trends_are_differences_of_rows(values, trend):
    table = tables.TRENDS[trend]
    for span, (first, last) in tables.SPANS.items():
        for stop in STOPS:
            growth = values[table, str(last), stop] - values[table, str(first), stop]
            assert values[trend, span, stop] == pytest.approx(growth, abs=1e-9)
    early, late = ([values[trend, span, stop] for stop in STOPS] for span in tables.SPANS)
    assert min(early) > 3 * max(late)


@pytest.mark.parametrize(
    ("other", "table"),
    [("table1-mean", "table1"), ("table2-mean", "table2"), ("table4-mean", "table4-macro")],
)
def test_means_of_f1_stand_beside_the_same_numbers(paper, values, other, table):
    cells = {place: value for place, value in printed(paper).items() if place[0] == other}
    assert cells
    for (_, row, column), value in cells.items():
        assert value.value == values[table, row, column]
        assert value.source == "derived"


def test_studies_stand_beside_table_4(values):
    for kind, method in (("perceptrons", BASELINE), ("F1", MFOM)):
        for shape in studies.SHAPES:
            row = f"{kind}, {shape}"
            assert values["trees", row, "micro F1"] == values["table4", tables.MICRO_ROW, method]


def test_what_is_of_another_paper_says_so(paper):
    for place, value in printed(paper).items():
        if place[0].startswith("multi"):
            assert "not this one" in value.where


# ------------------------------------------------------------------------------------ recipes


def test_recipes_have_the_paper_s_numbers():
    for name, figure in ((F1, "f1"), (MCE, "balanced-error")):
        method = load_recipe(name).method()
        options = method.solver_options
        assert (method.figure, method.solver) == (figure, "gpd")
        assert (options.rate, options.steepness, options.iterations) == (0.05, 20.0, STOPS[USUAL])


def test_all_on_directions_share_them():
    found = {load_recipe(name).representation for name in (F1, MCE, MFOM_TREE, BPA_TREE)}
    assert len(found) == 1
    assert found.pop().lsi == FULL


def test_the_svm_sees_the_same_texts_without_directions():
    recipe = load_recipe(F1)
    svm = linear_svm(recipe)
    assert svm.representation.lsi is None
    assert svm.representation.analyzer == recipe.representation.analyzer
    assert svm.representation.weights == recipe.representation.weights
    method = svm.method()
    assert (method.loss, method.regularization.C) == ("hinge", 1.0)


def test_f1_of_table_1_is_the_run_of_tables_2_and_3():
    for directions in (REDUCED, FULL):
        assert tables.figure_descent("F1", directions) == tables.grid_descent(directions)
    assert tables.figure_descent("MCE", FULL).stops == {USUAL: STOPS[USUAL]}


def test_entries_of_none_are_left_out():
    recipe = load_recipe(F1)
    assert learning(recipe).learn == recipe.learn
    assert "options" not in learning(recipe, solver="l-bfgs", options=None).learn


def test_only_ruled_forms_tune_thresholds():
    own, recipe = experiments_of(NAME), load_recipe(MULTI)
    for form in studies.FORMS:
        for figure in studies.MULTI_FIGURES:
            row = f"{form}, {figure}"
            made = own[f"multi, {row}"].settings["recipe"]
            assert (made.decide == recipe.decide) == (row in studies.RULED)
            assert studies.formed(form, figure).decide.rule == "default"
            steps = recipe.learn["options"]["iterations"] * (2 if form == "binary" else 1)
            assert made.learn["options"]["iterations"] == steps
    (row,) = (row for row, name in studies.RULED.items() if name == recipe.name)
    assert own[f"multi, {row}"].settings["recipe"].learn == recipe.learn


# -------------------------------------------------------------------------- on the demo corpus

DEMO = replace(COLLECTION, corpus="demo")
SHRINKING = 100  # of dimensions and of steps
FEWEST = 35  # of the demo's twelve categories three have fewer training documents
CHANGES = {
    "collection": DEMO,
    "largest": LARGEST,
    "most": 20,
    "category": "council",
    "steps": 160,
    "folds": 2,
    "fewest": FEWEST,
    "cuts": 3,
}


def small_descent(descent):
    stops = {stop: steps // SHRINKING for stop, steps in descent.stops.items()}
    dimensions = max(1, descent.dimensions // SHRINKING)
    return replace(descent, recipe=small(descent.recipe), dimensions=dimensions, stops=stops)


def on_demo(experiment):
    """The same experiment on the demo corpus, with fewer directions and steps."""
    made = small_experiment(experiment, **CHANGES)
    settings = dict(made.settings)
    for name, value in experiment.settings.items():
        if isinstance(value, Descent):
            settings[name] = small_descent(value)
    if "descents" in settings:
        descents = experiment.settings["descents"]
        settings["descents"] = {key: small_descent(each) for key, each in descents.items()}
    if "dimensions" in settings:
        settings["dimensions"] = 4
    return replace(made, settings=settings)


@pytest.fixture(scope="module")
def demos():
    return {name: on_demo(each) for name, each in experiments_of(NAME).items()}


@pytest.fixture(scope="module")
def demo(paper, demos):
    """All but table 4, whose rows are categories of Reuters."""
    return reproduce(paper, {n: each for n, each in demos.items() if not n.startswith("table4")})


@pytest.fixture(scope="module")
def spaces():
    return spaces_of(DEMO, small_recipe(load_recipe(F1)).representation)


def test_nothing_fails_on_the_demo(demo):
    assert not demo.failures
    shown = (table for table in demo.tables if not table.id.startswith("table4"))
    assert not [cell.key for table in shown for cell in table.cells if cell.error]


def test_a_row_is_one_run(demo, demos):
    stops = stops_of(**demos["800 dimensions"].settings)
    found = {table: ours(demo, table) for table in tables.MEASURES}
    for name, stop in stops.items():
        assert stop.steps == STOPS[name] // SHRINKING
        for table, measure in tables.MEASURES.items():
            assert found[table]["800", name].ours == pytest.approx(measure(stop.tally))


def test_trends_of_the_demo_are_differences_of_its_tables(demo):
    for trend, table in tables.TRENDS.items():
        values, growth = ours(demo, table), ours(demo, trend)
        assert len(growth) == len(tables.SPANS) * len(STOPS)
        for (span, stop), cell in growth.items():
            first, last = tables.SPANS[span]
            rise = values[str(last), stop].ours - values[str(first), stop].ours
            assert cell.ours == pytest.approx(rise)


def test_both_parts_of_the_categories(demo, demos):
    settings = demos["table1, MCE, 400"].settings
    tally = stops_of(DEMO, settings["descent"])[USUAL].tally
    found, means = ours(demo, "table1"), ours(demo, "table1-mean")
    top, rest = tally.of(LARGEST), tally.without(LARGEST)
    assert sorted([*top.categories, *rest.categories]) == sorted(tally.categories)
    assert found["Top-10, micro-avg", "MCE, 400"].ours == pytest.approx(top.micro())
    assert found["Other 80, macro-avg", "MCE, 400"].ours == pytest.approx(rest.macro())
    assert means["Other 80, macro-avg", "MCE, 400"].ours == pytest.approx(rest.mean())


@pytest.mark.parametrize("method", [BASELINE, SVM, MFOM])
def test_a_column_of_table_4(demos, method):
    settings = demos[f"table4, {method}"].settings
    found = tables.run_method(method, **settings)
    learner = settings["learner"]
    if method == MFOM:
        tally = stops_of(DEMO, learner)[USUAL].tally
    else:
        tally = runs.run_of(DEMO, learner).by_rule
    assert [row for table, row, _ in found if table == "table4"] == [*LARGEST, tables.MICRO_ROW]
    for name, value in zip(LARGEST, tally.of(LARGEST).f1s(), strict=True):
        assert found["table4", name, method].value == pytest.approx(value)
    assert found["table4-mean", tables.MACRO_ROW, method].value == pytest.approx(tally.mean())


def test_trees_have_as_many_nodes_as_their_shape_allows(demo):
    found = ours(demo, "trees")
    for kind in studies.TREES:
        nodes = {shape: found[f"{kind}, {shape}", studies.NODES].ours for shape in studies.SHAPES}
        assert nodes["one level"] == 1.0
        assert 1.0 <= nodes["cut"] <= nodes["as grown"] <= 3.0


def test_every_solver_and_form_is_measured(demo):
    assert len(ours(demo, "solvers")) == 2 * 3 * 4
    assert len(ours(demo, beta.TABLE)) == (1 + 4 * 2 + 4) * 5
    rows = {row for row, _ in ours(demo, "multi")}
    forms = {f"{form}, {figure}" for form in studies.FORMS for figure in studies.MULTI_FIGURES}
    assert rows == forms | set(studies.RULED.values())
    assert {row for row, _ in ours(demo, "multi-rare")} == rows


READINGS = [
    beta.Reading(sign, signed, outside)
    for sign in (0, 1, -1)
    for signed in (False, True)
    for outside in (False, True)
]


@pytest.mark.parametrize("reading", READINGS)
def test_readings_of_beta_by_hand(reading):
    """Against the class loss of figure 2: TP is Σ 1 - l of members, FP is Σ of what is accepted."""
    rng = np.random.default_rng(3)
    cases = np.where(rng.random((30, 2)) < 0.4, 1, -1).astype(np.int8)
    scores = rng.normal(size=(30, 2)) - 0.3
    options = GpdOptions(steepness=2.0)
    slopes = beta.ReadingSlopes(Merit(FBeta(), cases, np.ones(30)), options, reading)
    slopes(scores, np.empty_like(scores))
    d = np.where(cases < 0, scores, -scores) if reading.signed else -scores
    offsets = reading.sign * d.mean(axis=0) / (2.0 if reading.outside else 1.0)
    loss = figures.class_loss(2.0, offsets, d)
    accepted = np.where(cases < 0, loss, 1 - loss) if reading.signed else 1 - loss
    counts = slopes.seen.counts
    assert counts.true_positives == pytest.approx((accepted * (cases > 0)).sum(axis=0))
    assert counts.false_positives == pytest.approx((accepted * (cases < 0)).sum(axis=0))


def test_no_beta_is_the_run_of_tables_2_and_3(spaces):
    recipe = small_recipe(load_recipe(F1))
    problem = spaces.of_directions(8)
    (accepted,) = beta.decided(problem, recipe, beta.Reading(), 20)
    wanted = descend(problem, recipe, {"all": 20})["all"].tally.counts
    found = tally_of(problem.labels.names, accepted, problem.truth.toarray()).counts
    assert found.true_positives.tolist() == wanted.true_positives.tolist()
    assert found.false_positives.tolist() == wanted.false_positives.tolist()


def test_unscaled_points_keep_their_length_of_all_directions(spaces):
    whole, fewer = spaces.whole().design.rows, spaces.of_directions(5, scaled=False).design.rows
    assert fewer.toarray() == pytest.approx(whole.toarray()[:, :5])


def test_categories_made_rare_are_left_with_few_documents():
    random = np.random.default_rng(0)
    dense = random.random((400, 12)) < 0.1
    members = sp.csc_matrix(dense)
    for seed in range(5):
        cut = studies.cut_of(members, seed)
        assert len(cut.thinned) == 6
        assert not set(cut.learned) & set(cut.tested)
        left, sought = dense[cut.learned][:, cut.thinned], dense[cut.tested][:, cut.thinned]
        assert left.sum(axis=0).min() >= 1
        # Drawn for one category, a document may be another's, too.
        assert left.sum() < 3 * 6 + 10
        assert sought.sum(axis=0).min() >= studies.SOUGHT
        touched = dense[:, cut.thinned].any(axis=1)
        assert (~touched).sum() == len(cut.learned) + len(cut.tested) - (
            left.any(axis=1).sum() + sought.any(axis=1).sum()
        )
        again = studies.cut_of(members, seed)
        assert again.learned.tolist() == cut.learned.tolist()


def test_forms_are_compared_on_the_same_cuts(demo):
    found = ours(demo, studies.RARE)
    column = studies.COLUMNS[0]
    for figure in studies.MULTI_FIGURES:
        alone = found[f"binary, {figure}", column]
        assert "above binary" not in alone.remark
        assert "standard error" in alone.remark
        assert "of 3 cuts" in found[f"rivals, {figure}", column].remark


def test_rules_change_thresholds_alone(demo, demos):
    run = runs.run_of(DEMO, demos["multi, binary, f1"].settings["recipe"])
    zero, ruled = (
        np.array([tally.counts.true_positives, tally.counts.false_negatives])
        for tally in (run.at_zero, run.by_rule)
    )
    assert zero.sum(axis=0).tolist() == ruled.sum(axis=0).tolist()
    sizes = dict(zip(run.at_zero.categories, run.sizes, strict=True))
    rare = [name for name, size in sizes.items() if size < FEWEST]
    assert run.rare(FEWEST) == rare
    assert 0 < len(rare) < len(sizes)
    found = ours(demo, "multi-rare")["binary, f1", studies.RARE_COLUMN]
    assert found.ours == pytest.approx(run.at_zero.of(rare).f1s().mean())


def test_figures_are_drawn(demo):
    drawn = figures_of(demo)
    assert set(drawn) == {"figure2", "figure3", "figure4"}
    assert set(drawn["figure2"].names()) == set(figures.SHAPES)
    assert [panel.title for panel in drawn["figure4"].panels] == list(figures.SAMPLES)


@pytest.mark.parametrize("count", [1, 5, DIRECTIONS, 4 * DIRECTIONS])
def test_fewer_directions_are_the_first_of_more(spaces, tmp_path, count):
    """The grid trains on what Projection gives for each number of directions."""
    space = spaces.of_directions(count)
    training = spaces.vectors.matrix[spaces.vectors.learned]
    wanted = Projection.learned(
        training, min(count, DIRECTIONS), 3.0, cache=DirectionsCache(tmp_path)
    )
    points = space.design.rows.toarray()
    # Directions are the same up to rounding; what points are to each other does not turn with them.
    other = wanted.points(training)
    assert points.shape == other.shape
    assert points @ points.T == pytest.approx(other @ other.T, abs=1e-3)
    lengths = np.linalg.norm(points, axis=1)
    assert lengths[lengths > 0] == pytest.approx(3.0, rel=1e-5)


def test_the_whole_space_is_the_representation_s(spaces):
    assert spaces.whole().design.terms == DIRECTIONS


def test_only_learns_one_category(spaces):
    problem = spaces.vectors.problem()
    alone = problem.only("council")
    place = problem.labels.names.index("council")
    assert alone.labels.names == ("council",)
    assert (alone.truth.toarray()[:, 0] == problem.truth.toarray()[:, place]).all()
    with pytest.raises(UsageError, match="no document is in acq"):
        problem.only("acq")


@pytest.mark.parametrize("name", [F1, MCE])
def test_a_stop_is_what_the_learner_comes_to(spaces, name):
    """Fewer steps are the beginning of more, and the last is the recipe's own result."""
    recipe = small_recipe(load_recipe(name))
    problem = spaces.of_directions(8)
    stops = descend(problem, recipe, {"few": 7, "many": 20})
    for stop, iterations in (("few", 7), ("many", 20)):
        options = {**recipe.learn["options"], "iterations": iterations}
        method = learning(recipe, options=options).method()
        fit = method.fit(Job(problem.design, problem.labels))
        accepted = fit.scores(problem.unseen) > 0
        wanted = tally_of(problem.labels.names, accepted, problem.truth.toarray())
        found = stops[stop].tally
        assert found.counts.true_positives.tolist() == wanted.counts.true_positives.tolist()
        assert found.counts.false_positives.tolist() == wanted.counts.false_positives.tolist()
        assert stops[stop].steps == iterations
    assert stops["many"].smooth > stops["few"].smooth


def test_l_bfgs_ends_higher_on_the_same_objective(spaces):
    recipe = small_recipe(load_recipe(F1))
    problem = spaces.of_directions(8)
    descended = descend(problem, recipe, {"all": 20})["all"]
    assert ascend(problem, recipe, 20).smooth > descended.smooth


def test_decisions_at_0_are_those_of_the_default_rule(spaces):
    facts = learned(spaces.of_directions(8), small_recipe(load_recipe(F1)))
    assert facts.at_zero is facts.by_rule
    assert facts.rows == len(facts.sizes)


def test_the_curve_is_training_f1_and_the_histograms_hold_all_documents(demo, spaces):
    curve = ours(demo, "figure3")
    assert {0.0, 1.0, 50.0, 60.0, 160.0} <= {float(step) for _, step in curve}
    assert "51" not in {step for _, step in curve}
    assert curve["acq", "160"].ours > curve["acq", "0"].ours
    counts = ours(demo, "figure4")
    for when in (figures.BEFORE, figures.AFTER):
        total = sum(cell.ours for (row, _), cell in counts.items() if row.endswith(when))
        assert total == len(spaces.vectors.learned)


def test_before_the_first_step_every_member_is_accepted(demo):
    """The offset is the least score of a member: its d is 0 at most."""
    row = f"{figures.MEMBERS}, {figures.BEFORE}"
    cells = ours(demo, "figure4").items()
    found = {float(x): cell.ours for (name, x), cell in cells if name == row}
    assert sum(count for x, count in found.items() if x > figures.WIDTH) == 0


def test_class_losses():
    d = np.array([-1000.0, 0.0, 1000.0])
    assert figures.class_loss(1.0, 0.0, d) == pytest.approx([0.0, 0.5, 1.0])
    assert figures.class_loss(5.0, 2.0, np.array([-2.0, -1.0])) == pytest.approx(
        [0.5, 1 / (1 + np.exp(-5.0))]
    )


def tally(*counts):
    names = [*"abc"][: len(counts[0])]
    return Tally(names, Counts(*(np.array(each) for each in counts), cases=9))


def test_averages_by_hand():
    found = tally([3, 0, 1], [1, 0, 1], [0, 2, 1])
    assert found.micro() == pytest.approx(8 / (8 + 2 + 3))
    precision, recall = (3 / 4 + 0 + 1 / 2) / 3, (1 + 0 + 1 / 2) / 3
    assert found.macro() == pytest.approx(2 * precision * recall / (precision + recall))
    assert found.mean() == pytest.approx((6 / 7 + 0 + 1 / 2) / 3)
    assert found.f1s()[2] == pytest.approx(0.5)
    assert found.without(["a"]).categories == ["b", "c"]
    empty = tally([0], [0], [0])
    assert (empty.micro(), empty.macro(), empty.mean()) == (0.0, 0.0, 0.0)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.tuples(*[arrays(np.bool_, (6, width)) for _ in range(2)])
    )
)
def test_averages_are_those_of_decisions(pair):
    accepted, truth = pair
    names = [str(place) for place in range(truth.shape[1])]
    tally = tally_of(names, accepted, truth)
    both = int((accepted & truth).sum())
    below = int(accepted.sum() + truth.sum())
    assert tally.micro() == pytest.approx(2 * both / below if below else 0.0)
    assert 0 <= tally.mean() <= 1
    assert 0 <= tally.macro() <= 1
    if len(names) == 1:
        assert tally.macro() == pytest.approx(tally.micro())
        assert tally.mean() == pytest.approx(tally.micro())


@pytest.mark.corpus
def test_the_collection_is_the_paper_s(paper, corpus_file):
    corpus_file("reuters")
    own = experiments_of(NAME)["collection"]
    cells = ours(reproduce(paper, {"collection": own}, only=["collection"]), "collection")
    for column in ("training", "test", "categories"):
        assert cells["Reuters-21578", column].difference == 0
    assert abs(cells["Reuters-21578", "terms"].difference) < 1000
