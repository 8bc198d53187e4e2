#!/usr/bin/env python3
"""Reads the rockspec, and makes the rock where there is LuaRocks: rockspec.py SOURCE_DIR LUAJIT."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# A rockspec is Lua without a library: it sets globals.
READ = """\
local read = assert(loadfile(arg[1], "t"))
local spec = {}
setfenv(read, spec)()
assert(spec.package == "firn" and spec.version == "scm-1" and spec.rockspec_format == "3.0")
assert(spec.description.license == "MIT" and spec.dependencies[1] == "lua == 5.1")
assert(spec.build.type == "command" and type(spec.source.url) == "string")
for _, word in ipairs({"FIRN_INSTALL_LUA", "FIRN_INSTALL_LUA_C", "FIRN_BUILD_LUA"}) do
    assert(spec.build.build_command:find("-D" .. word .. "=", 1, true), word)
end
"""

USE = """\
local firn = require("firn")
local world = firn.newWorld()
local fox = world:spawn(firn.Name("fox"))
world:loadSnapshot(world:saveSnapshot())
assert(world:get(fox, firn.Name) == "fox")
"""


def run_lua(luajit, code, *arguments, **environment):
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(code)
        file.flush()
        subprocess.run([luajit, file.name, *arguments], check=True,
                       env=dict(os.environ, **environment))


def make_rock(luarocks, luajit, root):
    """Makes the rock from a copy of what it needs, and loads it from its tree alone."""
    with tempfile.TemporaryDirectory() as name:
        source, tree = pathlib.Path(name, "source"), pathlib.Path(name, "tree")
        source.mkdir()
        for folder in ("include", "src"):
            shutil.copytree(root / folder, source / folder)
        for file in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(root / file, source / file)
        made = subprocess.run([luarocks, "--lua-version=5.1", "make", "--tree", tree,
                               "src/lua/firn-scm-1.rockspec"], cwd=source, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert made.returncode == 0, made.stdout
        run_lua(luajit, USE, LUA_PATH=f"{tree}/share/lua/5.1/?.lua",
                LUA_CPATH=f"{tree}/lib/lua/5.1/?.so")


def main():
    root, luajit = pathlib.Path(sys.argv[1]), sys.argv[2]
    run_lua(luajit, READ, str(root / "src/lua/firn-scm-1.rockspec"))
    luarocks = shutil.which("luarocks")
    if luarocks:
        make_rock(luarocks, luajit, root)
    else:
        print("the rock is not made: there is no luarocks, as of the Debian package of that name")


if __name__ == "__main__":
    main()
