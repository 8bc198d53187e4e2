#!/bin/sh
# bench/report.sh: builds firn_bench as releases are built, runs every scene at every size, writes
# docs/performance.md and its plots. Takes a few minutes; run it on an idle machine.
#
#   sh bench/report.sh
#
# The numbers are left in build/bench/results.csv.
set -eu
cd "$(dirname "$0")/.."

BUILD=build/bench
FLAGS="-O2 -DNDEBUG"
RESULTS=$BUILD/results.csv

if ! command -v gnuplot >/dev/null; then
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    install="apt-get install -y --no-remove --no-install-recommends gnuplot-nox"
    $as_root $install >/dev/null 2>&1 ||
        { $as_root apt-get update -q >/dev/null && $as_root $install >/dev/null; }
fi

mkdir -p $BUILD docs/performance
cmake -S . -B $BUILD -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE="$FLAGS" -DFIRN_BUILD_TESTS=OFF -DFIRN_BUILD_EXAMPLES=OFF \
    -DFIRN_BUILD_BENCH=ON >$BUILD.log
cmake --build $BUILD --parallel >>$BUILD.log

# measure ENTITIES REPEAT PATTERN: the scenes that match, each in a process of its own.
measure() {
    echo "$1 entities"
    $BUILD/bench/firn_bench --list | cut -d ' ' -f 1 | grep -E "$3" | while read -r scene; do
        (cd $BUILD && bench/firn_bench --csv --entities "$1" --repeat "$2" --scene "$scene") |
            sed 1d >>$RESULTS
    done
}

PLOTTED="^(save|load|spawn|iterate)"
WITHOUT_TREES="^(save|load|hash|check|memory|spawn|iterate|add|remove|get|set|despawn"
WITHOUT_TREES="$WITHOUT_TREES|relate|unrelate|cascade|sources)"
echo "scene,entities,bytes,metric,unit,median,min,memcpy_ratio" >$RESULTS
measure 10000 201 .
measure 30000 61 "$PLOTTED"
measure 100000 61 .
measure 300000 21 "$PLOTTED"
measure 1000000 21 .
measure 4000000 9 "$WITHOUT_TREES"

for plot in save load spawn iterate; do
    gnuplot -c bench/plots.gp $RESULTS $plot docs/performance/$plot.svg
done
python3 bench/report.py $RESULTS bench/aims.csv "$FLAGS" docs/performance.md
