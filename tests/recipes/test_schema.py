"""Every entry of every table of a recipe, with what it may be and with what it may not."""

from __future__ import annotations

import tomllib
from dataclasses import fields

import pytest

from postil.errors import PostilError, UsageError
from postil.learn.all_classes import MulticlassSvmMethod, PolychotomousMethod, PolychotomousOptions
from postil.learn.kernel_method import KernelMethod
from postil.learn.losses import LOSSES
from postil.learn.merit.method import MfomMethod, TreeMethod
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.priors import PRIORS
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Regularization
from postil.learn.sum_method import SumMethod
from postil.recipes import learn_schema, parts, schema
from postil.recipes.recipe import Recipe, load_recipe

# One value of each type that TOML has, and numbers that are none or endless.
VALUES = {
    "text": '"x"',
    "empty text": '""',
    "true": "true",
    "whole": "3",
    "negative": "-3",
    "zero": "0",
    "long": "1" + "0" * 400,
    "float": "2.5",
    "nan": "nan",
    "inf": "inf",
    "-inf": "-inf",
    "date": "2001-01-01",
    "time": "07:30:00",
    "list": "[]",
    "list of texts": '["x"]',
    "list of numbers": "[1.0, 2.0]",
    "list of nan": "[nan]",
    "list of lists": "[[1]]",
    "table": "{ a = 1 }",
    "tables": "[{ a = 1 }]",
}
NUMBERS = {"whole", "negative", "zero", "float", "long"}
# What the kinds below may be, of the values above; a spec or a name may still be refused.
KINDS = {
    "text": {"text", "empty text"},
    "flag": {"true"},
    "whole": {"whole", "negative", "zero", "long"},
    "number": {*NUMBERS, "inf"},
    "texts": {"list", "list of texts"},
    "numbers": {"list", "list of numbers"},
    "table": {"table"},
}
ENTRIES = {
    "": {"name": "text", "title": "text", "paper": "text", "where": "text"},
    "representation": {
        "analyzer": "text",
        "fields": "texts",
        "apart": "flag",
        "also": "texts",
        "weights": "text",
        "norm": "text",
        "min_df": "number",
        "max_df": "number",
        "min_occurrences": "whole",
        "max_terms": "whole",
        "buckets": "whole",
        "lsi": "whole",
        "length": "number",
    },
    "selection": {"measure": "text", "terms": "whole", "threshold": "number", "scope": "text"},
    "learn": {
        "learner": "text",
        "loss": "text",
        "prior": "text",
        "solver": "text",
        "lam": "number",
        "C": "number",
        "prior_variance": "number",
        "mix": "number",
        "variance_rule": "text",
        "intercept": "text",
        "constant": "number",
        "posterior": "flag",
        "options": "table",
    },
    "learn, of naive Bayes": {"smoothing": "number", "form": "text"},
    "learn, polychotomous": {
        "prior": "text",
        "mix": "number",
        "lam": "number",
        "C": "number",
        "prior_variance": "number",
        "intercept": "text",
        "constant": "number",
        "reference": "text",
        "options": "table",
    },
    "learn, multiclass-svm": {
        "learner": "text",
        "lam": "number",
        "C": "number",
        "prior_variance": "number",
        "intercept": "text",
        "constant": "number",
        "options": "table",
    },
    "learn, kernel": {
        "kernel": "text",
        "loss": "text",
        "solver": "text",
        "lam": "number",
        "C": "number",
        "prior_variance": "number",
        "intercept": "text",
        "constant": "number",
        "options": "table",
    },
    "learn, sum": {"learner": "text", "first": "table", "second": "table", "factor": "number"},
    "search": {
        "over": "text",
        "grid": "numbers",
        "points": "whole",
        "folds": "whole",
        "rounds": "whole",
        "cut": "text",
        "shared": "flag",
        "measure": "text",
        "one_standard_error": "flag",
        "most_terms": "whole",
        "exactly": "flag",
    },
    "decide": {
        "labels": "text",
        "rule": "text",
        "calibration": "text",
        "route": "text",
        "folds": "whole",
    },
    "aim": {"measure": "text", "compare": "flag"},
    "auto": {"budget": "number"},
    "expect": {"corpus": "text", "measure": "text", "value": "number", "tolerance": "number"},
}
OPTIONS = {
    (solver.name, each.name): {bool: "flag", int: "whole", float: "number", str: "text"}[
        type(getattr(solver.options(), each.name))
    ]
    for solver in SOLVERS.values()
    for each in fields(solver.options)
} | {("dual-gradient", "rate"): "number"}  # or a word of its own, which is the default

# What a table needs besides to be whole, and how its head is written.
BESIDES = {
    "selection": {"measure": '"gini"', "terms": "5"},
    "learn, of naive Bayes": {"learner": '"naive-bayes"'},
    "learn, polychotomous": {"learner": '"polychotomous"', "prior": '"elastic-net"'},
    "learn, multiclass-svm": {"learner": '"multiclass-svm"'},
    "learn, kernel": {"learner": '"kernel"'},
    "learn, sum": {"learner": '"sum"'},
    "aim": {"measure": '"f1"'},
    "expect": {"corpus": '"c"', "measure": '"f1"', "value": "1", "tolerance": "1"},
}
# What single entries need.
BESIDE = {
    ("representation", "apart"): {"fields": '["title", "body"]'},
    ("representation", "length"): {"lsi": "5"},
    ("decide", "route"): {"calibration": '"auto"'},
    ("learn", "posterior"): {"loss": '"logistic"'},
    ("learn", "mix"): {"prior": '"elastic-net"', "solver": '"primal-coordinate"'},
}
# And which other tables.
AFTER = {
    "learn, polychotomous": '[decide]\nrule = "best"',
    "learn, multiclass-svm": '[decide]\nrule = "best"',
}


def toml_of(table, key, value):
    entries = BESIDES.get(table, {}) | BESIDE.get((table, key), {}) | {key: value}
    if (table, key) == ("selection", "threshold"):
        del entries["terms"]
    head = {"": "", "expect": "[[expect]]"}.get(table, f"[{table.partition(',')[0]}]")
    name = "" if key == "name" and not table else 'name = "x"\n'
    if (table, key) == ("search", "most_terms"):  # of a prior that leaves terms out
        name += '[learn]\nloss = "logistic"\nprior = "laplace"\nsolver = "newton-coordinate"\n'
    lines = [f"{k} = {v}" for k, v in entries.items()]
    return "\n".join([name + head, *lines, AFTER.get(table, "")])


def all_entries():
    return [(table, key, kind) for table, keys in ENTRIES.items() for key, kind in keys.items()]


def place_of(table, key):
    return f"[{table.partition(',')[0]}] {key}" if table else key


def load(tmp_path, text):
    tomllib.loads(text)
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    return load_recipe(str(path))


def refused(tmp_path, text):
    """The message of a recipe that has to be refused, without its source."""
    with pytest.raises(PostilError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 1000
    source = f"recipe {tmp_path / 'bad.toml'}: "
    assert message.startswith(source)
    return message.removeprefix(source)


@pytest.mark.parametrize(("table", "key", "kind"), all_entries())
def test_a_value_of_a_wrong_type_is_refused_with_its_place(tmp_path, table, key, kind):
    for value in VALUES.keys() - KINDS[kind]:
        told = refused(tmp_path, toml_of(table, key, VALUES[value]))
        assert told.startswith(f"{place_of(table, key)}: expected "), value
        assert ", got " in told
        assert "; " in told


@pytest.mark.parametrize(("table", "key", "kind"), all_entries())
def test_a_value_of_the_right_type_is_taken_or_refused_in_a_line(tmp_path, table, key, kind):
    for value in KINDS[kind]:
        text = toml_of(table, key, VALUES[value])
        try:
            load(tmp_path, text)
        except PostilError:
            assert refused(tmp_path, text)


@pytest.mark.parametrize(("solver", "option"), OPTIONS)
def test_the_options_of_every_solver_are_held_to_their_types(tmp_path, solver, option):
    needs = SOLVERS[solver]
    loss = next(loss.name for loss in LOSSES.values() if needs.loss_needs <= loss.provides)
    intercept = min(needs.intercepts)
    head = f'name = "x"\n[learn]\nloss = "{loss}"\nsolver = "{solver}"\n'
    head += f'intercept = "{intercept}"\n'
    prior = next(prior.name for prior in PRIORS.values() if needs.prior_needs <= prior.provides)
    head += f'prior = "{prior}"\n'
    assert load(tmp_path, head)
    for value in VALUES.keys() - KINDS[OPTIONS[solver, option]]:
        told = refused(tmp_path, f"{head}[learn.options]\n{option} = {VALUES[value]}")
        assert told.startswith(f"[learn.options] {option}: expected "), value


@pytest.mark.parametrize("option", [each.name for each in fields(PolychotomousOptions)])
def test_the_options_of_polychotomous_are_held_to_their_types(tmp_path, option):
    kind = "number" if option == "tolerance" else "whole"
    for value in VALUES.keys() - KINDS[kind]:
        table = f"{{ {option} = {VALUES[value]} }}"
        told = refused(tmp_path, toml_of("learn, polychotomous", "options", table))
        assert told.startswith(f"[learn.options] {option}: expected "), value
    told = refused(tmp_path, toml_of("learn, polychotomous", "options", "{ rate = 1.0 }"))
    assert told.startswith("[learn.options] has no entry 'rate'")


@pytest.mark.parametrize(("table", "key", "kind"), all_entries())
def test_every_example_is_right(tmp_path, table, key, kind):
    entries = {
        "": schema.HEAD,
        **schema.PLAIN,
        "expect": schema.EXPECT,
        "learn": learn_schema.LEARN["linear"],
        "learn, of naive Bayes": learn_schema.LEARN["naive-bayes"],
        "learn, polychotomous": learn_schema.LEARN["polychotomous"],
        "learn, multiclass-svm": learn_schema.LEARN["multiclass-svm"],
        "learn, kernel": learn_schema.LEARN["kernel"],
        "learn, sum": learn_schema.LEARN["sum"],
        "learn, mfom": learn_schema.LEARN["mfom"],
        "learn, tree": learn_schema.LEARN["tree"],
    }[table]
    assert load(tmp_path, toml_of(table, key, entries[key].example))


@pytest.mark.parametrize("table", ["representation", "selection", "learn", "search", "decide"])
@pytest.mark.parametrize("value", sorted(VALUES.keys() - {"table"}))
def test_what_is_no_table_is_refused(tmp_path, table, value):
    told = refused(tmp_path, f'name = "x"\n{table} = {VALUES[value]}')
    assert told.startswith(f"[{table}]: expected a table, got ")
    assert refused(tmp_path, f'name = "x"\n[[{table}]]').startswith(f"[{table}]: expected a table")


@pytest.mark.parametrize("value", sorted(VALUES.keys() - {"list"}))
def test_what_is_no_list_of_tables_is_refused(tmp_path, value):
    assert refused(tmp_path, f'name = "x"\nexpect = {VALUES[value]}').startswith("[expect]")


def test_an_expectation_needs_all_its_entries(tmp_path):
    told = refused(tmp_path, 'name = "x"\n[[expect]]\ncorpus = "c"')
    assert told == '[expect] needs a measure; write measure = "micro-f1"'


def test_the_schema_knows_what_the_parts_know():
    def names(kind):
        return {each.name for each in fields(kind)}

    assert set(schema.REPRESENTATION) == names(parts.Representation)
    assert set(schema.SELECTION) == names(parts.TermSelection)
    assert set(schema.SEARCH) == names(parts.Search)
    assert set(schema.DECIDE) == names(parts.Decide)
    assert set(schema.AIM) == names(parts.Aim)
    assert set(schema.EXPECT) == names(parts.Expectation)
    assert set(schema.KEYS) == names(Recipe) - {"_absent", "_method"}
    linear = names(Method) - {"regularization"} | names(Regularization) | {"learner"}
    assert set(learn_schema.LEARN["linear"]) == linear
    assert set(learn_schema.LEARN["naive-bayes"]) == names(NaiveBayes) | {"learner"}
    polychotomous = names(PolychotomousMethod) - {"regularization"} | names(Regularization)
    assert set(learn_schema.LEARN["polychotomous"]) == polychotomous | {"learner"}
    svm = names(MulticlassSvmMethod) - {"regularization"} | names(Regularization)
    assert set(learn_schema.LEARN["multiclass-svm"]) == svm | {"learner"}
    kernel = names(KernelMethod) - {"regularization"} | names(Regularization)
    assert set(learn_schema.LEARN["kernel"]) == kernel | {"learner"}
    assert set(learn_schema.LEARN["sum"]) == names(SumMethod) | {"learner"}
    assert set(learn_schema.LEARN["mfom"]) == names(MfomMethod) | {"learner"}
    assert set(learn_schema.LEARN["tree"]) == names(TreeMethod) | {"learner"}
    assert {(table, key) for table, key, _ in all_entries()} >= {
        (table, key) for table, entries in schema.PLAIN.items() for key in entries
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[selection]\nterms = 5", "[selection]: terms is given without a measure"),
        ("[selection]\nthreshold = 0.5", "[selection]: threshold is given without a measure"),
        ('[selection]\nmeasure = "gini"', "[selection]: a measure needs terms or threshold"),
        (
            '[selection]\nmeasure = "gini"\nterms = 3\nthreshold = 0.1',
            "[selection]: a measure needs terms or threshold, got terms and threshold",
        ),
        (
            '[search]\nshared = "no"',
            '[search] shared: expected true or false, without quotes, got "no"; '
            "write shared = true",
        ),
        (
            '[representation]\nfields = "title"',
            '[representation] fields: expected a list of texts, got "title"; '
            'write fields = ["title"]',
        ),
        ("[learn]\nC = true", "[learn] C: expected a finite number above 0, got true"),
        ("[learn]\nC = -1.0", "[learn] C: expected a finite number above 0, got -1.0"),
        ('[representation]\nanalyzer = "wrods"', "[representation]: "),
        ("[representation]\napart = true", "[representation]: fields are kept apart only"),
        (
            '[decide]\ncalibration = "plat"',
            "[decide] calibration: expected one of auto, logistic, hierarchical, joint, platt, "
            "isotonic, moderated, softmax, probit, got \"plat\"; did you mean 'platt'?",
        ),
        ('[decide]\nrule = "f2"', "[decide] rule: decision rule 'f2': no decision rule is called"),
        ("[learn]\nlam = 1.0\n[search]", "[search]: [learn] gives lam and [search] looks for λ"),
        (
            '[learn]\nlearner = "naive-bayes"\nform = "multi-class"\n'
            '[selection]\nmeasure = "gini"\nterms = 3',
            "[selection]: multi-class Naive Bayes uses the same terms",
        ),
        (
            '[learn]\nlearner = "polychotomous"',
            "[decide] rule: 'default' compares scores with thresholds, and one model for all "
            'classes has scores that only compare with each other; write rule = "best"',
        ),
        (
            '[learn]\nlearner = "polychotomous"\n[decide]\nrule = "best"\ncalibration = "logistic"',
            '[decide] calibration: "logistic" needs scores that are logarithms of odds, and '
            'those of [learn] are not; write calibration = "softmax"',
        ),
        (
            '[decide]\ncalibration = "softmax"',
            '[decide] calibration: "softmax" needs scores of classes of which a document has '
            'exactly one, and [learn] has none; write calibration = "platt"',
        ),
        (
            '[learn]\nlearner = "polychotomous"\n[search]\nshared = false\n[decide]\nrule = "best"',
            "[search]: shared = false needs a strength for each category, and polychotomous has "
            "one model with one strength for all: leave it out, or learn one-vs-rest",
        ),
    ],
)
def test_what_no_single_value_shows_is_refused_with_its_table(tmp_path, text, told):
    assert refused(tmp_path, f'name = "x"\n{text}').startswith(told)


def test_a_recipe_made_in_python_is_held_to_the_same():
    with pytest.raises(UsageError, match=r"\[representation\] fields: expected a list of texts"):
        Recipe("x", representation=parts.Representation(fields="title"))
    with pytest.raises(UsageError, match=r"\[decide\] folds: expected a whole number"):
        Recipe("x", decide=parts.Decide(folds=2.5))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[search]\ngrid = [1.0, 1.0]",
            "above 0, each of them once, got [1.0, 1.0]; write grid =",
        ),
        ("[search]\ngrid = []", "[search] grid: expected a list of one or more finite numbers"),
        ("[learn.options]\ntolerance = 2", "expected a number of at least 0 and under 1, got 2"),
        ('[selection]\nmeasure = "chi2"\nterms = 3', "got \"chi2\"; did you mean 'chi-square'?"),
        ('[selection]\nmeasure = "ig"\nterms = 3', "did you mean 'information-gain'?"),
        ('[selection]\nmeasure = "zz"\nterms = 3', 'write measure = "gini"'),
        ('[representation]\nfields = "subject"', 'got "subject"; write fields = ["subject"]'),
        ("[representation]\nfields = 3", 'write fields = ["title", "body"]'),
    ],
)
def test_what_was_perhaps_meant(tmp_path, text, told):
    assert told in refused(tmp_path, f'name = "x"\n{text}')
