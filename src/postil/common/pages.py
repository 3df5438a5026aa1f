"""HTML pages: one Jinja environment that escapes every text it is given.

Templates are in ``postil/templates``. ``base.html`` holds the head and the style sheet of every
page; a page extends it and fills its blocks ``style`` and ``body``. Another package keeps its own
templates in its own folder ``templates`` and may extend those of postil.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from postil.common.escaping import escaped, visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# Characters that HTML cannot hold or a browser does not show: controls except tab and line ends,
# and surrogates, which UTF-8 cannot hold either.
_UNFIT = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# The places where a line may break within a name: not within a number.
_BREAKS = re.compile(r"(/|[._](?=[^\W\d]))(?=\w)")


def render_page(template: str, *, package: str = "postil", **values: object) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    template:
        File name in the folder ``templates`` of ``package``, or in that of postil.
    package:
        Name of the package that holds the template.
    values:
        Variables of the template. Texts are escaped, and characters that HTML cannot hold become
        U+FFFD, unless they are ``markupsafe.Markup``. The filters ``visible`` and ``escaped``
        write control and direction characters as escapes; ``breakable`` lets a line break within
        a long name.
    """
    return _environment(package).get_template(template).render(values)


@cache
def _environment(package: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    packages = dict.fromkeys([package, "postil"])
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_replace_unfit,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"visible": visible, "escaped": escaped, "breakable": _breakable}
    return environment


def _breakable(text: str) -> Markup:
    from markupsafe import Markup, escape

    return Markup(_BREAKS.sub(r"\1<wbr>", str(escape(_UNFIT.sub("\ufffd", text)))))


def _replace_unfit(value: object) -> object:
    from markupsafe import Markup

    if isinstance(value, str):
        text = _UNFIT.sub("\ufffd", value)
        return Markup(text) if isinstance(value, Markup) else text
    return value
