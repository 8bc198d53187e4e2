#!/usr/bin/env python3
"""Reads the pages of `firn report` about all golden files: page.py FIRN SOURCE_DIR [--write].

A page is HTML and XML at once. It stands alone, allows only its own style and script, and everybody
can read its tables and pictures. docs/tool/report.svg is the treemap of a golden save; --write
makes it anew.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
PICTURE_OF = "saves/02_kitchen.firn"
FOLDERS = ["firn/*.bin", "saves/*.firn", "tecs/*.bin", "tecs/*/*.bin", "json/*.jsonl"]


def report(tool, file):
    return subprocess.run([tool, "report", file, "-o", "-"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def elements(page):
    """(parent, element) of all, with names as HTML has them."""
    for parent in page.iter():
        for element in parent:
            yield parent, element


def name_of(element):
    return element.tag.split("}")[-1]


def named(page, name):
    return [element for element in page.iter() if name_of(element) == name]


def text_of(element):
    return "".join(element.itertext()).strip()


def stands_alone(page, text):
    for _, element in elements(page):
        if name_of(element) in ("link", "img", "iframe", "object", "embed", "form", "base", "a"):
            yield f"<{name_of(element)}>"
        for name in element.attrib:
            if name in ("src", "href", "style", "srcset", "action") or name.startswith("on"):
                yield f"the attribute {name}"
    for address in re.findall(r'(?<!xmlns=")\b\w+://[^"< ]+', text):
        yield address


def allows_only_its_own(page, _):
    allowed = next(meta.get("content") for meta in named(page, "meta")
                   if meta.get("http-equiv") == "Content-Security-Policy")
    for name in ("style", "script"):
        inside = [element.text for element in named(page, name)]
        if len(inside) != 1:
            yield f"{len(inside)} of <{name}>"
            continue
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        if f"{name}-src 'sha256-{digest}'" not in allowed:
            yield f"the hash of <{name}> is {digest}, and that is not allowed"
    if not allowed.startswith("default-src 'none'; "):
        yield allowed


def is_html_too(_, text):
    """What XML closes at once is empty in HTML as well."""
    if not text.startswith("<!DOCTYPE html>\n"):
        yield "no doctype"
    for name in set(re.findall(r"<(\w+)[^<>]*/>", text)) - {"meta", "rect"}:
        yield f"<{name}/>"
    for name in re.findall(r"&(?!amp;|lt;|gt;|quot;|#39;)\S*", text):
        yield name


def has_tables_for_all(page, _):
    tables = named(page, "table")
    if not tables:
        yield "no table"
    for table in tables:
        caption = text_of(named(table, "caption")[0])
        heads = named(named(table, "thead")[0], "th")
        if not caption or any(head.get("scope") != "col" or not text_of(head) for head in heads):
            yield f"the heads of {caption}"
        for body in named(table, "tbody"):
            for row in named(body, "tr"):
                width = sum(int(cell.get("colspan", "1")) for cell in row)
                named_by = [cell for cell in row if cell.get("scope") == "row"]
                if width != len(heads) or (body.get("class") != "rest" and len(named_by) != 1):
                    yield f"a row of {caption}: {text_of(row)}"


def has_pictures_for_all(page, _):
    for picture in named(page, "svg"):
        told = [name_of(child) for child in picture][:2] == ["title", "desc"]
        if picture.get("aria-hidden") != "true" and (picture.get("role") != "img" or not told):
            yield "a picture that says nothing"


def has_names_once(page, _):
    names = [element.get("id") for element in page.iter() if element.get("id")]
    for name in {name for name in names if names.count(name) > 1}:
        yield f"{name} twice"
    for element in page.iter():
        for name in element.get("aria-labelledby", "").split():
            if name not in names:
                yield f"no {name}"
    if len(named(page, "h1")) != 1:
        yield "not one h1"


CHECKS = [stands_alone, allows_only_its_own, is_html_too, has_tables_for_all,
          has_pictures_for_all, has_names_once]


def colors(text):
    """The rules of the light style that color a treemap, with the colors in place."""
    found = dict(re.findall(r"(--\w+): (#\w+);", text.split("@media", 1)[0]))
    rules = re.findall(r"^(?:\.map|\.a|\.c\w) [^{]*\{[^}]*\}", text.replace("} .c", "}\n.c"), re.M)
    return re.sub(r"var\((--\w+)\)", lambda name: found[name[1]], "\n".join(rules))


def picture(text):
    """The treemap of a page as a file of its own."""
    drawn = re.search(r'<svg class="map wide".*?</svg>\n', text, re.S)[0]
    head, rest = drawn.split(">", 1)
    return (f'{head} font-family="sans-serif">\n<style>\n{colors(text)}\n</style>{rest}')


def main():
    tool, source = sys.argv[1], pathlib.Path(sys.argv[2])
    golden = source / "tests/golden"
    files = sorted(file for folder in FOLDERS for file in golden.glob(folder))
    wrong = [] if len(files) > 50 else [f"only {len(files)} golden files"]
    for file in files:
        text = report(tool, file)
        page = ET.fromstring(text)
        for check in CHECKS:
            wrong += [f"{file.name} {check.__name__}: {what}" for what in check(page, text)]
    drawn = picture(report(tool, golden / PICTURE_OF))
    ET.fromstring(drawn)
    shown = source / "docs/tool/report.svg"
    if sys.argv[3:] == ["--write"]:
        shown.write_text(drawn)
    elif shown.read_text() != drawn:
        wrong.append(f"{shown} is not the treemap of {PICTURE_OF}: page.py --write draws it")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
