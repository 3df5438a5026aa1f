"""The experiments of gao-wu-lee-chua-2003: what they promise, and that they keep it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.papers.gao_samples import (
    DIRECTIONS,
    FEWEST,
    SHRINKING,
    on_demo,
    small_experiments,
    small_recipe,
)
from tests.papers.zhang_2000_samples import largest

from postil.errors import UsageError
from postil.learn.job import Job
from postil.vectors.projection import DirectionsCache, Projection
from postil_papers.experiment import check_experiments
from postil_papers.gao_wu_lee_chua_2003 import (
    comparison,
    convergence,
    criteria,
    dimensions,
    made_rare,
    multi,
    sigmoids,
    solvers,
    trees,
)
from postil_papers.gao_wu_lee_chua_2003.descents import descend, descent_of, method_of
from postil_papers.gao_wu_lee_chua_2003.methods import (
    F1,
    MACRO,
    MCE,
    MEAN,
    MICRO,
    STOPS,
    USUAL,
    learning,
)
from postil_papers.gao_wu_lee_chua_2003.runs import learned, run_of
from postil_papers.gao_wu_lee_chua_2003.spaces import forget, spaces_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally, tally_of
from postil_papers.loading import load_paper
from postil_papers.registry import experiments_of, figures_of
from postil_papers.runner import reproduce

NAME = "gao-wu-lee-chua-2003"
COLLECTION = {"corpus": "demo", "documents": "labelled"}
# Their rows are categories of Reuters.
BY_CATEGORY = {"table4"}
UNFILLED = {"table4", "table4-macro", "table4-mean"}


@pytest.fixture(scope="module")
def paper():
    return load_paper(NAME)


@pytest.fixture(scope="module")
def experiments():
    return experiments_of(NAME)


@pytest.fixture(scope="module")
def small():
    forget()
    yield {name: on_demo(each) for name, each in small_experiments().items()}
    forget()


@pytest.fixture(scope="module")
def demo(paper, small):
    chosen = {name: each for name, each in small.items() if not each.tables() & BY_CATEGORY}
    return reproduce(paper, chosen)


@pytest.fixture(scope="module")
def spaces():
    return spaces_of(COLLECTION, small_recipe(F1).representation)


def ours(reproduction, table):
    found = next(each for each in reproduction.tables if each.id == table)
    return {(c.key.row, c.key.column): c for c in found.cells if c.ours is not None}


# ------------------------------------------------------------------------- what is promised


def test_no_two_experiments_fill_the_same_cell(paper, experiments):
    check_experiments(paper, experiments)


def test_every_cell_of_every_exhibit_is_promised(paper, experiments):
    promised = {key for each in experiments.values() for key in each.expected(paper)}
    for exhibit in paper.exhibits:
        assert {(exhibit.id, *place) for place in exhibit.places} <= promised


def test_every_experiment_on_documents_knows_its_corpus(experiments):
    for name, experiment in experiments.items():
        if name != "sigmoids":
            assert str(experiment.settings["corpus"]) in repr(experiment.data)
            assert experiment.settings["documents"] == "labelled"


# ----------------------------------------------------------------------------- that it is kept


def test_nothing_fails_on_the_demo(demo):
    assert not demo.failures
    shown = (table for table in demo.tables if table.id not in UNFILLED)
    assert not [cell.key for table in shown for cell in table.cells if cell.error]


def test_a_row_is_one_run(demo, small):
    stops = descent_of(small["800 dimensions"].settings, "800")
    found = {table: ours(demo, table) for table in dimensions.MEASURES}
    for stop, facts in stops.items():
        assert facts.steps == STOPS[stop] // SHRINKING
        for table, measure in dimensions.MEASURES.items():
            assert found[table]["800", stop].ours == pytest.approx(measure(facts.tally))


def test_trends_are_differences_of_the_tables(demo):
    for trend, table in dimensions.TRENDS.items():
        values, growth = ours(demo, table), ours(demo, trend)
        assert len(growth) == len(dimensions.SPANS) * len(STOPS)
        for (span, stop), cell in growth.items():
            first, last = dimensions.SPANS[span]
            rise = values[str(last), stop].ours - values[str(first), stop].ours
            assert cell.ours == pytest.approx(rise)


def test_both_parts_of_the_categories(demo, small):
    column = criteria.column_of("MCE", 400)
    tally = descent_of(small[f"table1, {column}"].settings, column)[USUAL].tally
    found, means = ours(demo, "table1"), ours(demo, "table1-mean")
    top, rest = tally.of(largest()), tally.without(largest())
    assert sorted([*top.categories, *rest.categories]) == sorted(tally.categories)
    assert found["Top-10, micro-avg", column].ours == pytest.approx(top.micro())
    assert found["Other 80, macro-avg", column].ours == pytest.approx(rest.macro())
    assert means["Other 80, macro-avg", column].ours == pytest.approx(rest.mean())


@pytest.mark.parametrize("method", comparison.DECIDED)
def test_a_column_of_table_4(small, method):
    settings = small[f"table4, {method}"].settings
    found = comparison.run_column(method, settings)
    tally, _ = comparison.DECIDED[method](method, settings)
    rows = [row for table, row, _ in found if table == "table4"]
    assert rows == [*largest(), comparison.MICRO_ROW]
    for name in largest():
        assert found["table4", name, method].value == pytest.approx(tally.f1_of(name))
    assert found["table4-mean", comparison.MACRO_ROW, method].value == pytest.approx(tally.mean())


def test_trees_have_as_many_nodes_as_their_shape_allows(demo):
    found = ours(demo, "trees")
    for kind in trees.KINDS:
        nodes = {
            shape: found[trees.row_of(kind, shape), trees.NODES].ours for shape in trees.SHAPES
        }
        assert nodes["one level"] == 1.0
        assert 1.0 <= nodes["cut"] <= nodes["as grown"] <= 3.0


def test_every_solver_and_form_is_measured(demo):
    assert len(ours(demo, "solvers")) == 2 * len(solvers.RUNS) * len(solvers.COLUMNS)
    assert len(ours(demo, "offset")) == 2 * 3
    rows = {row for row, _ in ours(demo, "multi")}
    forms = {multi.row_of(form, figure) for form in multi.FORMS for figure in multi.FIGURES}
    assert rows == forms | set(multi.RULED.values())
    rare = ours(demo, "multi-rare")
    assert {row for row, _ in rare} == rows


def test_categories_made_rare_are_left_with_few_documents():
    random = np.random.default_rng(0)
    dense = random.random((400, 12)) < 0.1
    members = sp.csc_matrix(dense)
    for seed in range(5):
        cut = made_rare.cut_of(members, seed)
        assert len(cut.made) == 6
        assert not set(cut.learned) & set(cut.tested)
        left, sought = dense[cut.learned][:, cut.made], dense[cut.tested][:, cut.made]
        assert left.sum(axis=0).min() >= 1
        # Drawn for one category, a document may be another's, too.
        assert left.sum() < 3 * 6 + 10
        assert sought.sum(axis=0).min() >= made_rare.SOUGHT
        touched = dense[:, cut.made].any(axis=1)
        assert (~touched).sum() == len(cut.learned) + len(cut.tested) - (
            left.any(axis=1).sum() + sought.any(axis=1).sum()
        )
        again = made_rare.cut_of(members, seed)
        assert again.learned.tolist() == cut.learned.tolist()


def test_forms_are_compared_on_the_same_cuts(demo):
    found = ours(demo, multi.RARE)
    rows = {multi.row_of(form, figure) for form in multi.FORMS for figure in multi.FIGURES}
    assert {row for row, column in found if column == made_rare.MADE_RARE} == rows
    for figure in multi.FIGURES:
        alone = found[multi.row_of("binary", figure), made_rare.MADE_RARE]
        assert "above binary" not in alone.remark
        assert "standard error" in alone.remark
        together = found[multi.row_of("rivals", figure), made_rare.MADE_RARE]
        assert "of 3 cuts" in together.remark


def test_rules_change_thresholds_alone(demo, small):
    run = run_of(small["multi, binary, f1"].settings, "binary, f1")
    zero, ruled = (
        np.array([tally.true_positives, tally.false_negatives])
        for tally in (run.at_zero, run.by_rule)
    )
    assert zero.sum(axis=0).tolist() == ruled.sum(axis=0).tolist()
    sizes = dict(zip(run.at_zero.categories, run.sizes, strict=True))
    rare = [name for name, size in sizes.items() if size < FEWEST]
    assert run.rare(FEWEST) == rare
    assert 0 < len(rare) < len(sizes)
    found = ours(demo, "multi-rare")["binary, f1", multi.RARE_COLUMN]
    assert found.ours == pytest.approx(np.mean([run.at_zero.f1_of(name) for name in rare]))


def test_figures_are_drawn(demo):
    drawn = figures_of(demo)
    assert set(drawn) == {"figure2", "figure3", "figure4"}
    assert set(drawn["figure2"].names()) == set(sigmoids.SHAPES)
    assert [panel.title for panel in drawn["figure4"].panels] == list(convergence.SAMPLES)


# ------------------------------------------------------------------------------- how it is done


@pytest.mark.parametrize("count", [1, 5, DIRECTIONS, 4 * DIRECTIONS])
def test_fewer_directions_are_the_first_of_more(spaces, tmp_path, count):
    """What Projection gives for so many directions is what the grid learns from."""
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
    assert spaces.of_terms().design.terms == spaces.vectors.matrix.shape[1]


def test_only_learns_one_category(spaces):
    space = spaces.of_terms()
    alone = space.only("council")
    place = space.labels.names.index("council")
    assert alone.labels.names == ("council",)
    assert (alone.truth[:, 0] == space.truth[:, place]).all()
    with pytest.raises(UsageError, match="no document is in acq"):
        space.only("acq")


@pytest.mark.parametrize("name", [F1, MCE])
def test_a_stop_is_what_the_learner_comes_to(spaces, name):
    """Fewer steps are the beginning of more, and the last is the recipe's own result."""
    recipe = small_recipe(name)
    space = spaces.of_directions(8)
    stops = descend(space, method_of(recipe), {"few": 7, "many": 20})
    for stop, iterations in (("few", 7), ("many", 20)):
        options = {**recipe.learn["options"], "iterations": iterations}
        method = method_of(learning(recipe, options=options))
        fit = method.fit(Job(space.design, space.labels))
        accepted = fit.scores(space.unseen) > 0
        assert stops[stop].tally == tally_of(space.labels.names, accepted, space.truth)
        assert stops[stop].steps == iterations
    assert stops["many"].smooth > stops["few"].smooth


def test_l_bfgs_climbs_higher_on_the_same_objective(spaces):
    recipe = small_recipe(F1)
    space = spaces.of_directions(8)
    descended = descend(space, method_of(recipe), {"all": 20})["all"]
    assert solvers.climb(space, recipe, 20).smooth > descended.smooth


def test_decisions_at_0_are_those_of_the_default_rule(spaces):
    facts = learned(spaces.of_directions(8), small_recipe(F1))
    assert facts.at_zero == facts.by_rule
    assert facts.rows == len(facts.sizes)


def test_the_curve_is_training_f1_and_the_histograms_hold_all_documents(demo, spaces):
    curve = ours(demo, "figure3")
    assert {0.0, 1.0, 50.0, 60.0, 160.0} <= {float(step) for _, step in curve}
    assert "51" not in {step for _, step in curve}
    assert curve["acq", "160"].ours > curve["acq", "0"].ours
    counts = ours(demo, "figure4")
    for when in (convergence.BEFORE, convergence.AFTER):
        total = sum(cell.ours for (row, _), cell in counts.items() if row.endswith(when))
        assert total == len(spaces.vectors.learned)


def test_before_the_first_step_every_member_is_accepted(demo):
    """The offset is the least score of a member: its d is 0 at most."""
    row = convergence.sample_of(convergence.MEMBERS, convergence.BEFORE)
    found = {
        float(at): cell.ours for (name, at), cell in ours(demo, "figure4").items() if name == row
    }
    assert sum(count for at, count in found.items() if at > convergence.WIDTH) == 0


def test_class_losses():
    d = np.array([-1000.0, 0.0, 1000.0])
    assert sigmoids.class_loss(1.0, 0.0, d) == pytest.approx([0.0, 0.5, 1.0])
    assert sigmoids.class_loss(5.0, 2.0, np.array([-2.0, -1.0])) == pytest.approx(
        [0.5, 1 / (1 + np.exp(-5.0))]
    )


# ----------------------------------------------------------------------------------- averages


def test_averages_by_hand():
    tally = Tally(["a", "b", "c"], [3, 0, 1], [1, 0, 1], [0, 2, 1])
    assert tally.micro() == pytest.approx(8 / (8 + 2 + 3))
    precision, recall = (3 / 4 + 0 + 1 / 2) / 3, (1 + 0 + 1 / 2) / 3
    assert tally.macro() == pytest.approx(2 * precision * recall / (precision + recall))
    assert tally.mean() == pytest.approx((6 / 7 + 0 + 1 / 2) / 3)
    assert tally.f1_of("c") == pytest.approx(0.5)
    assert tally.without(["a"]).categories == ["b", "c"]


def test_nothing_over_nothing_is_0():
    empty = Tally(["a"], [0], [0], [0])
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


def test_columns_of_averages_are_told_apart():
    assert len({MICRO, MACRO, MEAN}) == 3


# ------------------------------------------------------------------------------ the real thing


@pytest.mark.corpus
def test_the_collection_is_the_paper_s(paper, experiments, corpus_file):
    corpus_file("reuters")
    found = reproduce(paper, {"collection": experiments["collection"]}, only=["collection"])
    cells = ours(found, "collection")
    for column in ("training", "test", "categories"):
        assert cells["Reuters-21578", column].difference == 0
    assert abs(cells["Reuters-21578", "terms"].difference) < 1000
