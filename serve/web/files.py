"""The file view as HTML: escaped, an anchor for each line, the cited span marked, large files in pages. Pure."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from serve.web.repository import PAGE_LINES, FilePage

__all__ = ["file_page", "message_page"]


def file_page(page: FilePage) -> str:
    """Return the view of a file."""
    pages = _pages(page)
    marked = f", lines {page.marked[0]} to {page.marked[1]} marked" if page.marked else ""
    heading = f"<h2>{escape(page.path)}</h2><p class=foot>{page.line_count} lines{marked}</p>"
    lines = "".join(_line(page, page.first_line + index, text) for index, text in enumerate(page.lines))
    body = f'{heading}{pages}<pre class="code" tabindex="0" aria-label="Source">{lines}</pre>{pages}'
    return _document(page.path, body)


def message_page(title: str, message: str) -> str:
    """Return a page that says what is wrong."""
    return _document(title, f'<h2>{escape(title)}</h2><p class="error" role="alert">{escape(message)}</p>')


def _line(page: FilePage, number: int, text: str) -> str:
    is_hit = page.marked is not None and page.marked[0] <= number <= page.marked[1]
    kind = "l hit" if is_hit else "l"
    anchor = f'<a href="#L{number}" aria-label="Line {number}">{number}</a>'
    return f'<span class="{kind}" id="L{number}">{anchor}<code>{escape(text)}</code></span>'


def _pages(page: FilePage) -> str:
    """Return links to the pages around this one; nothing for a file of one page."""
    links: list[str] = []
    if page.first_line > 1:
        links.append(_page_link(page, page.first_line - PAGE_LINES, "Previous page"))
    if page.last_line < page.line_count:
        links.append(_page_link(page, page.last_line + 1, "Next page"))
    if not links:
        return ""
    here = f"<span>Lines {page.first_line} to {page.last_line}</span>"
    return f'<nav class="pages" aria-label="Pages of the file">{"".join(links)}{here}</nav>'


def _page_link(page: FilePage, line: int, label: str) -> str:
    return f'<a href="/file/{quote(page.path)}?from={line}">{label}</a>'


def _document(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)} · Roteiro</title>"
        '<link rel="stylesheet" href="/static/style.css"><link rel="icon" href="/static/icon.svg" type="image/svg+xml">'
        '</head><body><header class="top"><h1><a href="/">Roteiro</a></h1><a href="/">Ask a question</a></header>'
        f'<main class="file">{body}</main></body></html>'
    )
