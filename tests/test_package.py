"""The package: its public names, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import postil

HEAVY = {"numpy", "scipy", "sklearn", "rich", "typer", "stopwordsiso", "Stemmer"}


@pytest.mark.parametrize("name", postil.__all__)
def test_every_public_name_is_there(name):
    assert getattr(postil, name).__name__ == name
    assert name in dir(postil)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = postil.nothing


@pytest.mark.parametrize(
    "module", ["postil", "postil.errors", "postil.corpus.opening", "postil.text.spec"]
)
def test_importing_is_light(module):
    code = f"import sys, {module}; print(*{HEAVY} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == ""
