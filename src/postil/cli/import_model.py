"""`postil import-model`: a model file of BBR, BMR or BXR as a postil model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from postil.cli.console import counted, say
from postil.cli.files import check_model_output, naming_errors
from postil.cli.options import output_option


def import_model(
    file: Annotated[Path, Argument(help="Model file of BBRtrain, BMRtrain or BXRtrain.")],
    output: Annotated[Path, output_option("Model file to write.")],
    terms: Annotated[
        Path | None,
        Option(
            help="File with the names of the features, one a line from number 1 on.", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Turn a model file of BBR, BMR or BXR into a postil model.

    Weights, constants and thresholds are kept exactly; probabilities follow the link function.
    The model reads svmlight files, as the program that trained it did.

    With --terms, features are called by their names. The .terms.tsv file that postil vectorize
    writes can be used.

    \b
    Examples:
      postil import-model grain.bbr -o grain.postil
      postil import-model topics.bmr -o topics.postil --terms words.txt
      postil predict grain.postil test.svm --top 1 --scores
    """
    from postil.model.bbr_import import import_model as read
    from postil.model.numbered import read_feature_names
    from postil.model.save import save_model

    check_model_output(output, file, terms)
    names = None if terms is None else read_feature_names(terms)
    imported = read(file, names)
    with naming_errors(output):
        save_model(imported.model, output)
    for note in imported.notes:
        say(f"note: {note}")
    model = imported.model
    say(
        f"imported {counted(model.categories, 'category', 'categories')} and "
        f"{counted(model.weights.nnz, 'weight')} from {file}; wrote {output}"
    )
