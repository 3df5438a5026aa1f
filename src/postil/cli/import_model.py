"""`postil import-model`: a model file of BBR, BMR or BXR to one of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from postil.cli.console import counted, say
from postil.cli.failures import check_model_output, file_named, naming


def import_model(
    file: Annotated[Path, typer.Argument(help="Model file of BBRtrain, BMRtrain or BXRtrain.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Model file to write.", parser=file_named, metavar="FILE"
        ),
    ],
    terms: Annotated[
        Path | None,
        typer.Option(
            "--terms", help="Names of the features, a line each from number 1 on.", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Turn a model file of BBR, BMR or BXR into a model of ours.

    Weights, constants and thresholds are kept as they are; probabilities follow the link. The
    model takes svmlight files, as the program that learned it did. With --terms its features are
    called by their names; a file that postil vectorize wrote beside its vectors will do.

    \b
    postil import-model grain.bbr -o grain.postil
    postil import-model topics.bmr -o topics.postil --terms words.txt
    postil predict grain.postil test.svm --scores 1
    """
    from postil.model.bbr_import import import_model as read
    from postil.model.numbered import read_feature_names
    from postil.model.save import save_model

    check_model_output(output, file, terms)
    names = None if terms is None else read_feature_names(terms)
    imported = read(file, names)
    with naming(output):
        save_model(imported.model, output)
    for note in imported.notes:
        say(f"note: {note}")
    model = imported.model
    say(
        f"imported {counted(model.categories, 'category', 'categories')} and "
        f"{counted(model.weights.nnz, 'weight')} from {file}; wrote {output}"
    )
