"""Model files as BBR, BMR and BXR write them, of any weights."""

from __future__ import annotations

from collections.abc import Mapping

Weights = Mapping[int, float]

BINARY = """\
Bayesian Binary Regression ver 2
tfMethod 0
idfMethod 0
cosineNormalize 0
featRestrict 75 98 115
endofheader
modelname first
topic grain
modelType 1 1 0 0
design 0
topicFeats 75 98 115
beta 3.000000000000e-01 0.2 2.2 -1.1
threshold 5.000000000000e-01
endoftopic
"""

POLYTOMOUS = """\
Bayesian Polytomous Regression model file ver 2.5
classes 1 2 3
tfMethod 0
idfMethod 0
cosineNormalize 0
featRestrict 75 98 115
nDesignParams 4
modelType 1 1 0 0 0
design 0
topicFeats 75 98 115
endofheader
betaClassSparse 1 0:-0.5 75:0.3 98:0.2
betaClassSparse 2 0:0.1 115:2.2
betaClassSparse 3
"""

DENSE = """\
Bayesian Polytomous Regression model file ver 2
nclasses 3
topicFeats 75 98 115
endofheader
betaDense 0 0.3 0.2 0 -0.5
betaDense 1 0 0 2.2 0.1
endofbeta
"""

BXR = """\
Multinomial logistic regression model format: sparse 3.0 produced by BXRtrain version 3.1
endofheader
modelname mine
betaClassSparse 1 0:-0.5 75:0.3 98:0.2
betaClassSparse 2 0:0.1 115:2.2
betaClassSparse 3
"""

SPARSE = """\
Sparse Model File ver 1
# of one model
@allmodels 3
mine 1 0 -0.5
mine 1 75 0.3

mine 1 98 0.2
mine 2 @constant 0.1
mine 2 115 2.2
"""


def binary_file(topics: Mapping[str, tuple[Weights, float, float]]) -> str:
    """A file with weights, constant and threshold of each topic."""
    lines = ["Bayesian Binary Regression ver 2", "endofheader"]
    for name, (weights, constant, threshold) in topics.items():
        lines += [
            f"topic {name}",
            "modelType 1 1 0 0",
            "design 0",
            " ".join(["topicFeats", *map(str, weights)]),
            " ".join(["beta", *map(repr, weights.values()), repr(constant)]),
            f"threshold {threshold!r}",
            "endoftopic",
        ]
    return "\n".join(lines) + "\n"


def polytomous_file(classes: Mapping[str, tuple[Weights, float]]) -> str:
    """A file with weights and constant of each class."""
    lines = ["Bayesian Polytomous Regression model file ver 2.5"]
    lines += [" ".join(["classes", *classes]), "endofheader"]
    for name, (weights, constant) in classes.items():
        pairs = [f"{feature}:{weight!r}" for feature, weight in weights.items() if weight]
        lines.append(" ".join(["betaClassSparse", name, f"0:{constant!r}", *pairs]))
    return "\n".join(lines) + "\n"
