#!/usr/bin/env python3
"""Plays a LÖVE game by scripts and compares what it shows: play.py GAME LUA, the folder of the game
and the one with firn.lua and firn/core.so."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from picture import Picture

GAME, LUA = sys.argv[1:]

# The player walks to the right and collects, then brings home whom he has.
COLLECT = ("hold right, wait 150, release right, hold down, wait 30, hold right, wait 60, "
           "release down")
GO_HOME = ("release right, hold left, hold up, wait 60, release up, wait 60, hold up, wait 60, "
           "release up, wait 120, release left")


class Player:
    """A player with a folder for saves. Each play is a process of its own."""

    def __init__(self, folder):
        self.home = pathlib.Path(folder)
        self.saves = self.home / "love" / "firn-snowlings"

    def play(self, script, game=GAME, lua=LUA):
        """Runs the game with a script, and returns the lines that it printed."""
        environment = dict(
            os.environ, XDG_DATA_HOME=str(self.home), LIBGL_ALWAYS_SOFTWARE="1",
            SDL_AUDIODRIVER="dummy", LUA_PATH=f"{lua}/?.lua;;", LUA_CPATH=f"{lua}/?.so;;")
        done = subprocess.run(
            ["xvfb-run", "-a", "love", str(game), "--script", script], env=environment, text=True,
            timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{script!r} ended with {done.returncode}:\n{done.stdout}")
        return [line for line in done.stdout.splitlines() if line.startswith("tick ")]

    def picture(self, name):
        return Picture(self.saves / name)


def want(condition, what):
    if not condition:
        sys.exit(what)


def same(one, other):
    difference = one.first_difference(other)
    want(difference is None, difference)


def a_game_that_was_saved_goes_on_like_one_that_was_not(twice, once):
    printed = once.play(f"{COLLECT}, print, {GO_HOME}, print, shot end.png, quit")
    before = twice.play(f"{COLLECT}, print, shot before.png, quit")
    after = twice.play(f"shot after.png, print, hold right, {GO_HOME}, print, shot end.png, quit")
    same(twice.picture("before.png"), twice.picture("after.png"))
    same(twice.picture("end.png"), once.picture("end.png"))
    want(before == after[:1] and printed == before + after[1:], f"{printed}, {before}, {after}")
    want(" 0 points" in printed[0] and " 0 points" not in printed[1],
         f"nobody was brought home: {printed}")
    # Pictures that are always equal would prove nothing.
    want(twice.picture("before.png").first_difference(twice.picture("end.png")), "nothing moved")
    want(twice.picture("before.png").colours() > 5000, "the picture shows nothing")


def f5_saves_and_f9_goes_back(player, _):
    printed = player.play(f"{COLLECT}, print, shot saved.png, press f5, {GO_HOME}, print, "
                          "shot later.png, press f9, print, shot loaded.png, quit")
    same(player.picture("saved.png"), player.picture("loaded.png"))
    want(player.picture("saved.png").first_difference(player.picture("later.png")), "nothing moved")
    want(printed[0] == printed[2] != printed[1], printed)
    # A process that comes later finds both saves.
    want(player.play("wait 60, press f9, print, quit") == printed[:1], "it is another one")


def a_game_that_was_paused_is_paused_when_it_comes_back(player, _):
    paused = player.play("wait 60, press p, wait 60, print, shot before.png, quit")
    printed = player.play("print, shot after.png, press p, wait 60, print, quit")
    same(player.picture("before.png"), player.picture("after.png"))
    want("state paused" in paused[0] and printed[:1] == paused, printed)
    want("state playing" in printed[1], printed)


def a_save_that_does_not_load_is_put_aside(player, _):
    first = player.play("print, quit")
    save = player.saves / "autosave.firn"
    damaged = save.read_bytes()[:-9]
    save.write_bytes(damaged)
    want(player.play("print, quit") == first, "no new game was begun")
    want((player.saves / "autosave.firn.bad").read_bytes() == damaged, "the save is gone")


def firn_is_found_beside_a_game(player, other):
    printed = player.play("wait 9, print, quit")
    folder = other.home / "game"
    shutil.copytree(GAME, folder)
    shutil.copytree(LUA, folder, dirs_exist_ok=True)
    want(other.play("wait 9, print, quit", folder, "nowhere") == printed, "another game")
    # No system loads a module out of an archive: the game says where it is.
    (other.home / "firn").mkdir()
    (folder / "firn" / "core.so").rename(other.home / "firn" / "core.so")
    line = 'package.cpath = love.filesystem.getSourceBaseDirectory() .. "/?.so;" .. package.cpath'
    document = pathlib.Path(__file__).parents[2] / "docs" / "lua.md"
    want(line in document.read_text(), f"{document} does not have it")
    main = folder / "main.lua"
    main.write_text(line + "\n" + main.read_text())
    archive = pathlib.Path(shutil.make_archive(str(other.home / "game"), "zip", folder))
    archive = archive.rename(archive.with_suffix(".love"))
    (other.saves / "autosave.firn").unlink()
    want(other.play("wait 9, print, quit", archive, "nowhere") == printed, "another game")


for test in (a_game_that_was_saved_goes_on_like_one_that_was_not, f5_saves_and_f9_goes_back,
             a_game_that_was_paused_is_paused_when_it_comes_back,
             a_save_that_does_not_load_is_put_aside, firn_is_found_beside_a_game):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        test(Player(one), Player(other))
    print(f"{test.__name__}: passed")
