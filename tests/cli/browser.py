#!/usr/bin/env python3
"""Looks at pages of `firn report` with Chromium: browser.py FIRN WRITER GOLDEN, WRITER being
report_write. Nobody sees the browser, and it has no network."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from picture import Picture

TOOL, WRITER, GOLDEN = sys.argv[1:]
DARK = "--blink-settings=preferredColorScheme=0"


class Browser:
    """Chromium with a folder of its own. What a page complains about ends the test."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, page, *options):
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--no-first-run", "--enable-logging=stderr",
             f"--user-data-dir={self.folder / 'profile'}", *options, page.as_uri()],
            timeout=240, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
            errors="replace")
        said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        want(done.returncode == 0 and not said, f"{page.name}: {done.returncode} {said}")
        return done.stdout

    def picture(self, page, width, height, *options):
        file = self.folder / "shot.png"
        file.unlink(missing_ok=True)
        self.run(page, f"--screenshot={file}", f"--window-size={width},{height}", *options)
        want(file.exists(), f"no picture of {page.name}")
        return Picture(file)

    def document(self, page, *options):
        return self.run(page, "--dump-dom", *options)


def want(condition, what):
    if not condition:
        sys.exit(what)


def brightness(picture):
    values = [sum(pixel[:3]) for row in picture.rows()[::7] for pixel in row[::7]]
    return sum(values) / len(values) / 3


def a_page_shows_something_in_each_width_and_scheme(browser, page):
    for width, height in (1280, 900), (820, 700), (500, 700):
        light = browser.picture(page, width, height)
        dark = browser.picture(page, width, height, DARK)
        for picture in light, dark:
            want(len(picture.rows()[0]) == width, f"{page.name} is not {width} wide")
            want(picture.colours() > 100, f"{page.name} at {width} has few colours")
        want(brightness(light) > 180 and brightness(dark) < 100,
             f"{page.name} at {width}: {brightness(light)}, {brightness(dark)}")


def a_page_has_its_tables_with_and_without_its_script(browser, page):
    written = page.read_text()
    captions = re.findall(r"<caption>(.*?)</caption>", written)
    want("Components" in captions and "Numeric fields" in captions, f"{page.name}: {captions}")
    bare = page.with_name("bare.html")
    bare.write_text(re.sub(r"<script>.*</script>", "", written, flags=re.S))
    shown, without = browser.document(page), browser.document(bare)
    for document in shown, without:
        want(re.findall(r"<caption>(.*?)</caption>", document) == captions,
             f"{page.name} lost tables")
        want(document.count("<tr>") == written.count("<tr>"), f"{page.name} lost rows")
    heads = len(re.findall(r'<th scope="col"', written))
    want(shown.count('<button type="button">') == heads, f"{page.name} does not sort")
    want("<button" not in without, "a page without a script has buttons")


def document_after(browser, page, script):
    """The document when a script has run in a copy of the page, which allows every script."""
    text = re.sub(r"<meta http-equiv=.*?/>", "", page.read_text())
    copy = page.with_name("copy.html")
    copy.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    return browser.document(copy)


def tables_are_sorted(browser, page):
    for column, ascending in (0, True), (5, False):
        document = document_after(
            browser, page, f'document.querySelectorAll("#components th button")[{column}].click();')
        part = document.split('<section id="components">')[1].split("</section>")[0]
        want(f'aria-sort="{"a" if ascending else "de"}scending"' in part, "not marked as sorted")
        rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
                for row in re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", part)]
        keys = [row[column] for row in rows]
        if not ascending:
            keys = [-int(key.replace(",", "")) for key in keys]
        want(len(keys) > 1 and keys == sorted(keys), f"sorted by {column}: {keys}")


def the_legend_lights_up_tiles(browser, page):
    tiles = page.read_text().count('<g class="t c0">')
    document = document_after(
        browser, page,
        'document.querySelector(".legend li").dispatchEvent(new Event("mouseenter"));')
    want('<figure id="map" class="dim">' in document, "nothing is dim")
    lit = document.count('<g class="t c0 lit">')
    want(lit == tiles > 1, f"{lit} of {tiles} tiles are lit")


def main():
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        town = pathlib.Path(folder, "town.firn")
        subprocess.run([WRITER, "100000", town], check=True)
        for file in pathlib.Path(GOLDEN, "saves/02_kitchen.firn"), town:
            page = pathlib.Path(folder, file.stem + ".html")
            subprocess.run([TOOL, "report", file, "-o", page], check=True)
            a_page_shows_something_in_each_width_and_scheme(browser, page)
            a_page_has_its_tables_with_and_without_its_script(browser, page)
            tables_are_sorted(browser, page)
            the_legend_lights_up_tiles(browser, page)


if __name__ == "__main__":
    main()
