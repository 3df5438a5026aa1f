"""Industry Sector: sectors and industries as folders."""

from __future__ import annotations

import pytest

from postil.corpus.document import Document
from postil.corpus.named.industry_sector import industry_sector
from postil.errors import CorpusError

PAGE = b"Content-type: text/html\n\n<title>Tea</title><body>All about tea</body>"
FOODS = "consumer.non-cyclical.sector/food.processing.industry"


def test_folders_are_the_label(store, read):
    pages = {
        f"sector/{FOODS}/http:^^www.tea.com^": PAGE,
        "sector/energy.sector/http:^^www.coal.com^": b"coal",
        "sector/README": b"x",
    }
    documents, _ = read(industry_sector(store(pages)))
    assert sorted(documents, key=lambda d: d.id) == [
        Document(
            f"{FOODS}/http:^^www.tea.com^", {"title": "Tea", "body": "All about tea"}, (FOODS,)
        ),
        Document(
            "energy.sector/http:^^www.coal.com^", {"title": "", "body": "coal"}, ("energy.sector",)
        ),
    ]


def test_no_page_is_an_error(store, read):
    with pytest.raises(CorpusError, match="holds no page of Industry Sector"):
        read(industry_sector(store({"README": b"x", "course/texas/x": b"x"})))
