"""SVG elements. Text and attributes are escaped here and nowhere else."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from xml.sax.saxutils import escape, quoteattr

WIDTH, HEIGHT = 640, 440

STYLE = (
    "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1f2328}"
    ".title{font-size:16px;font-weight:600}"
    ".soft{fill:#59636e}"
    ".paper{fill:#fff}"
    ".cell{stroke:#fff;stroke-width:1}"
    ".rule{stroke:#d1d9e0;stroke-width:1}"
    ".axis{stroke:#59636e;stroke-width:1}"
    ".frame{fill:none;stroke:#59636e;stroke-width:1}"
    ".band{fill:#0969da;fill-opacity:.12}"
    ".line{fill:none;stroke:#0969da;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
    ".bar{stroke:#0969da;stroke-width:1.5;stroke-linecap:round}"
    ".dot{fill:#0969da;stroke:#fff;stroke-width:1.5}"
    ".best{fill:none;stroke:#cf222e;stroke-width:2.5}"
    ".halo{fill:none;stroke:#fff;stroke-width:5}"
    "@media(prefers-color-scheme:dark){"
    "text{fill:#f0f6fc}.soft{fill:#9198a1}.paper{fill:#0d1117}.cell,.dot,.halo{stroke:#0d1117}"
    ".rule{stroke:#3d444d}.axis,.frame{stroke:#9198a1}"
    ".band{fill:#4493f8}.line,.bar{stroke:#4493f8}.dot{fill:#4493f8}.best{stroke:#ff7b72}}"
)
#: The hash of the style for a Content-Security-Policy.
STYLE_DIGEST = f"sha256-{b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}"


def number(value: float) -> str:
    """Return a coordinate with two decimals at most."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, content: str = "", **attributes: str | float) -> str:
    """Return one element.

    In names of attributes, a trailing underscore is dropped and other underscores become hyphens.
    """
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}="
        + quoteattr(value if isinstance(value, str) else number(value))
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, **attributes: str | float) -> str:
    """Return a text element."""
    return element("text", escape(words), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line of the style class `kind`."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def tooltip(words: str) -> str:
    """Return the tooltip of the element that contains it."""
    return element("title", escape(words))


def drawing(title: str, subtitle: str, description: str, parts: list[str]) -> str:
    """Return a complete SVG document."""
    content = "".join(
        [
            element("title", escape(title), id="title"),
            element("desc", escape(description), id="desc"),
            element("style", STYLE),
            element("rect", width=WIDTH, height=HEIGHT, class_="paper"),
            text(24, 32, title, class_="title"),
            text(24, 52, subtitle, class_="soft"),
            *parts,
        ]
    )
    document = element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        role="img",
        aria_labelledby="title desc",
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document}\n'
