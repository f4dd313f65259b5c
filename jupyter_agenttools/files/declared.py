"""Which encoding does a text name in its own first lines?

Read are an XML declaration, ``@charset`` of a style sheet, ``<meta charset>`` of an HTML page, and a comment in the
first two lines: Python's cookie, ``-*- coding: … -*-`` of Emacs, ``fileencoding=`` of Vim.
"""

from __future__ import annotations

import codecs
import re

MAX_DECLARATION = 4_096
"""So many bytes of a text's beginning are looked at; that is where a declaration has to be."""

_HTML_LOOKED_AT = 1_024
"""HTML wants it in these (WHATWG HTML, "Specifying the document's character encoding")."""

_XML = re.compile(rb"""\A\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""")
_CSS = re.compile(rb'\A@charset "([\w.:-]+)";')
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head)\b", re.IGNORECASE)
_META = re.compile(rb"""<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_COMMENT = re.compile(rb"\A[ \t\f]*(?:#|//|;|%|--|/\*|\"|<!--).*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"\A[ \t\f]*(?:(?:#|//|;|%|--|/\*|\"|<!--).*)?\r?\Z")

_KNOWN = frozenset(
    "ascii big5 cp1006 cp1125 cp437 cp720 cp737 cp775 cp850 cp852 cp855 cp857 cp858 cp860 cp861 cp862 cp863 "
    "cp865 cp866 cp869 cp874 cp932 cp949 cp950 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
    "euc_jp euc_kr gb18030 gb2312 gbk iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 "
    "iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-16 johab "
    "koi8-r koi8-t koi8-u kz1048 mac-cyrillic mac-greek mac-iceland mac-latin2 mac-roman mac-turkish ptcp154 shift_jis "
    "tis-620 utf-8".split()
)
"""Encodings in which ASCII text is itself, and every code point its own bytes wherever it stands. Others (UTF-7,
ISO-2022, Big5-HKSCS) cannot be edited piece by piece; text that declares one is looked at as the ASCII that it is."""

_BROWSER_READING = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk"}
"""Web pages are read by browsers, which take these names for their extended forms (WHATWG Encoding, "Names and
labels")."""


def declared_encoding(data: bytes) -> str | None:
    """The encoding that a text declares, as Python's codecs call it; ``None`` for none, or one that is not known."""
    head = data[:MAX_DECLARATION]
    if found := _XML.match(head) or _in_comment(head):
        return _codec(found[1])
    found = _CSS.match(head)
    if found is None and _HTML.search(head[:_HTML_LOOKED_AT]):
        found = _META.search(head[:_HTML_LOOKED_AT])
    name = _codec(found[1]) if found else None
    return _BROWSER_READING.get(name, name) if name else None


def _in_comment(head: bytes) -> re.Match[bytes] | None:
    for line in head.split(b"\n", 2)[:2]:
        if found := _COMMENT.match(line):
            return found
        if not _BLANK_OR_COMMENT.match(line):
            return None
    return None


def _codec(name: bytes) -> str | None:
    spelled = name.decode("ascii", "replace").lower()
    for ending in ("-unix", "-dos", "-mac"):  # Emacs says how lines end, too
        spelled = spelled.removesuffix(ending)
    try:
        codec = codecs.lookup(spelled).name
    except LookupError:
        return None
    codec = "utf-8" if codec in ("utf-8-sig", "utf_8_sig") else codec
    return codec if codec in _KNOWN else None
