#!/usr/bin/env python3
"""Installs a build and uses it like a stranger: package.py BUILD_DIR CMAKE CC VERSION KIND [LUAJIT].

find_package(firn), pkg-config and add_subdirectory each build a program that runs, and no flag of
firn's own build reaches it. KIND is that of the build, static or shared; add_subdirectory makes the
other one. With LUAJIT, the Lua binding is there, too: it loads from the installed folders alone. The
tool runs, with its man page and completion beside it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """\
#include "firn/firn.h"
#include <stdio.h>
int main(void)
{
    uint32_t version = firn_version();
    firn_saves_close(NULL); // needs all that a static library links
    firn_json_export_save(NULL, 0, NULL, NULL, NULL, NULL);
    printf("%u.%u.%u", version / 1000000, version / 1000 % 1000, version % 1000);
    return 0;
}
"""

PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(stranger C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
%s
add_executable(stranger stranger.c)
target_link_libraries(stranger PRIVATE firn::firn)
"""


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def build_with_cmake(cmake, cc, folder, how, *options):
    folder.mkdir()
    (folder / "stranger.c").write_text(PROGRAM)
    (folder / "CMakeLists.txt").write_text(PROJECT % how)
    build = folder / "build"
    run(cmake, "-S", folder, "-B", build, f"-DCMAKE_C_COMPILER={cc}", *options)
    run(cmake, "--build", build)
    commands = (build / "compile_commands.json").read_text()
    command = next(line for line in commands.splitlines()
                   if '"command"' in line and "stranger.c" in line)
    assert "-ffp-contract" not in command and "-W" not in command, command
    return build / "stranger"


LUA = """\
local firn = require("firn")
local world = firn.newWorld()
local fox = world:spawn(firn.Name("fox"))
local save = world:saveSnapshot()
world:despawn(fox)
world:loadSnapshot(save)
assert(world:get(fox, firn.Name) == "fox")
io.write(firn.version)
"""


def use_lua(luajit, prefix, version):
    """Nothing but the prefix is where this luajit looks; what it loads lies there."""
    environment = dict(os.environ, LUA_PATH=f"{prefix}/share/lua/5.1/?.lua",
                       LUA_CPATH=f"{prefix}/lib/lua/5.1/?.so")
    run(luajit, "-e", 'require"firn"', env=environment)
    assert run(luajit, "-e", LUA, env=environment) == version, "require"
    assert (prefix / "include/firn/lua.h").exists(), "lua.h"
    installed = sorted(path.name for path in (prefix / "lib/lua/5.1/firn").iterdir())
    assert installed == ["core.so"], installed


def use_tool(prefix, version):
    """The tool finds its library where it was moved to; what belongs to it lies beside it."""
    assert run(prefix / "bin/firn", "--version") == f"firn {version}\n", "firn --version"
    assert "firn info" in (prefix / "share/man/man1/firn.1").read_text(), "firn.1"
    completion = prefix / "share/bash-completion/completions/firn"
    assert "complete -F _firn firn" in completion.read_text(), "completion"


def main():
    built, cmake, cc, version, kind, *luajit = sys.argv[1:]
    root = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "moved"
        run(cmake, "--install", built, "--prefix", folder / "installed")
        (folder / "installed").rename(prefix)

        if luajit:
            use_lua(luajit[0], prefix, version)
        use_tool(prefix, version)

        found = build_with_cmake(cmake, cc, folder / "found",
                                 f"find_package(firn {version} REQUIRED)",
                                 f"-DCMAKE_PREFIX_PATH={prefix}")
        assert run(found) == version, "find_package"

        nested = build_with_cmake(cmake, cc, folder / "nested",
                                  f"add_subdirectory({root} firn EXCLUDE_FROM_ALL)",
                                  f"-DBUILD_SHARED_LIBS={'ON' if kind == 'static' else 'OFF'}")
        assert run(nested) == version, "add_subdirectory"
        if kind == "static":
            soname = "libfirn.so." + version.rpartition(".")[0]
            library = next(nested.parent.rglob(soname))
            run(sys.executable, root / "tests/unit/layers.py", "exports", root,
                "--library", library, "--soname", soname)

        library = next(prefix.rglob("firn.pc")).parent
        environment = dict(os.environ, PKG_CONFIG_PATH=str(library))
        linked = ["--static"] if kind == "static" else []
        flags = run("pkg-config", *linked, "--cflags", "--libs", "firn", env=environment).split()
        assert run("pkg-config", "--modversion", "firn", env=environment).strip() == version
        run(cc, folder / "found" / "stranger.c", "-o", folder / "stranger", *flags)
        environment["LD_LIBRARY_PATH"] = str(library.parent)
        assert run(folder / "stranger", env=environment) == version, "pkg-config"


if __name__ == "__main__":
    main()
