"""Every paper: its file, the cells its experiments promise, its figures, and its renderings."""

from __future__ import annotations

import pytest
from tests.papers.samples import terminal_text

from postil.corpus.named.registry import NAMES
from postil_papers.experiment import check_experiments
from postil_papers.loading import load_paper, paper_names
from postil_papers.registry import code_of_paper, experiments_of, figures_of
from postil_papers.render.pages import cells_json, html_page, markdown_page
from postil_papers.results import code_of, plain
from postil_papers.runner import reproduce


@pytest.fixture(scope="module", params=paper_names())
def paper(request):
    return load_paper(request.param)


@pytest.fixture(scope="module")
def experiments(paper):
    return experiments_of(paper.name)


def test_it_names_known_corpora_and_where_each_number_stands(paper):
    assert all(value.where for exhibit in paper.exhibits for value in exhibit.values)
    assert {corpus for exhibit in paper.exhibits for corpus in exhibit.corpora} <= set(NAMES)


def test_no_two_experiments_fill_the_same_cell(paper, experiments):
    check_experiments(paper, experiments)


def test_every_cell_of_every_exhibit_is_promised(paper, experiments):
    promised = {key for each in experiments.values() for key in each.expected(paper)}
    for exhibit in paper.tables:
        assert {(exhibit.id, *place) for place in exhibit.places} <= promised, exhibit.id
    assert {figure.id for figure in paper.figures} <= {key.table for key in promised} | {
        table for each in experiments.values() for table in each.tables()
    }


def test_every_figure_has_a_drawer(paper):
    assert set(code_of_paper(paper.name).FIGURES) == {figure.id for figure in paper.figures}


def test_experiments_on_documents_name_a_known_corpus(experiments):
    for each in experiments.values():
        if each.settings:
            kept = plain(each.settings)
            assert (kept.get("corpus") or kept["collection"]["corpus"]) in NAMES


def test_the_code_behind_a_result_has_a_fingerprint(experiments):
    modules = {getattr(each.run, "func", each.run).__module__ for each in experiments.values()}
    assert len({code_of(module) for module in modules}) == len(modules)


def test_it_can_be_shown_before_anything_was_run(paper):
    found = reproduce(paper, {})
    assert paper.name in terminal_text(found)
    assert paper.name in markdown_page(found)
    assert paper.name in html_page(found)
    assert all(each["ours"] is None for each in cells_json(found))
    # Only formulas can be drawn without numbers.
    assert len(figures_of(found)) == len(
        [each for each in experiments_of(paper.name).values() if not each.settings]
    )
