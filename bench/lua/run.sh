#!/bin/sh
# bench/lua/run.sh [PART OF A SCENE'S NAME]: builds the Lua binding as releases are built and prints
# how fast it is. Run it on an idle machine.
set -eu
cd "$(dirname "$0")/../.."

BUILD=build/bench-lua
mkdir -p $BUILD
cmake -S . -B $BUILD -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" -DFIRN_BUILD_TESTS=OFF -DFIRN_BUILD_EXAMPLES=OFF \
    -DFIRN_BUILD_BENCH=ON -DFIRN_BUILD_LUA=ON >$BUILD.log
cmake --build $BUILD --parallel --target firn_core firn_lua_files firn_bench_peer >>$BUILD.log
export FIRN_BENCH_PEER="$PWD/$BUILD/bench/peer.so"
export LUA_PATH="$BUILD/lua/?.lua" LUA_CPATH="$BUILD/lua/?.so"

first=true
luajit bench/lua/main.lua --list | grep -F -- "${1:-}" | while read -r scene; do
    luajit bench/lua/main.lua "$scene" | if $first; then cat; else sed 1d; fi
    first=false
done
