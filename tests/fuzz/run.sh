#!/bin/sh
# tests/fuzz/run.sh: fuzzes with libFuzzer (clang and libclang-rt-14-dev on Debian 12).
#
#   sh tests/fuzz/run.sh 20             twenty minutes, shared by all targets
#   sh tests/fuzz/run.sh 0.5 load       half a minute of one target
#
# JOBS processes fuzz one target at once (all processors). The corpora that grow are in
# build/fuzz/corpus, findings in build/fuzz/findings: a finding that is fixed goes to
# tests/fuzz/corpus/<target>. Prints executions, exits with 1 after a finding and with 77 when
# clang cannot link fuzz targets.
set -u
cd "$(dirname "$0")/../.." || exit 1

JOBS=${JOBS:-$(nproc)}
minutes=${1:?usage: run.sh MINUTES [TARGET...]}
shift
[ $# -gt 0 ] || set -- values image save json load table round_trip tool
for target in "$@"; do
    if [ ! -f "tests/fuzz/$target.c" ]; then
        echo "there is no target $target"
        exit 1
    fi
done
seconds=$(awk "BEGIN { s = int($minutes * 60 / $#); print (s < 1 ? 1 : s) }")

# Short notes of each block and few freed ones kept: faster by half where worlds are made.
export ASAN_OPTIONS="detect_leaks=1:malloc_context_size=4:quarantine_size_mb=16:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

build=build/fuzz
mkdir -p "$build"
entry='int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d == 0 && n == 9; }'
if ! echo "$entry" | clang -fsanitize=fuzzer,address,undefined -x c - -o "$build/probe" \
    2>"$build/probe.log"; then
    echo "clang links no fuzz targets, see $build/probe.log: install libclang-rt-14-dev"
    exit 77
fi
if ! { cmake -S . -B "$build" -G Ninja -DFIRN_DEV=ON -DFIRN_FUZZ=ON -DCMAKE_C_COMPILER=clang \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g" \
    -DFIRN_SANITIZE=fuzzer-no-link,address,undefined &&
    cmake --build "$build" --parallel "$JOBS" --target fuzz_targets; } >"$build/build.log" 2>&1; then
    tail -n 40 "$build/build.log"
    exit 1
fi
python3 -B tests/fuzz/seeds.py tests/golden "$build/seeds" || exit 1
mkdir -p "$build/findings"

# The most bytes of an input: long ones are slow and find no more.
longest() {
    case $1 in
    values) echo 400 ;;
    round_trip) echo 600 ;;
    save | tool) echo 4500 ;;
    *) echo 2048 ;;
    esac
}

# fuzz TARGET: the executions of its processes are added up from their logs.
fuzz() {
    logs=$build/logs/$1
    rm -rf "$logs"
    mkdir -p "$logs" "$build/corpus/$1" "tests/fuzz/corpus/$1"
    root=$PWD
    # libFuzzer writes fuzz-<n>.log where it runs.
    (cd "$logs" && "$root/$build/tests/fuzz_$1" -jobs="$JOBS" -workers="$JOBS" \
        -max_total_time="$seconds" -max_len="$(longest "$1")" -timeout=30 -rss_limit_mb=3000 \
        -print_final_stats=1 -artifact_prefix="$root/$build/findings/$1-" \
        "$root/$build/corpus/$1" "$root/$build/seeds/$1" "$root/tests/fuzz/corpus/$1") \
        >"$logs/all.log" 2>&1
    status=$?
    rmdir "tests/fuzz/corpus/$1" 2>/dev/null
    executions=$(awk '/^stat::number_of_executed_units/ { n += $2 } END { print n + 0 }' \
        "$logs"/fuzz-*.log)
    total=$((total + executions))
    echo "$1: $executions executions in $seconds s"
    if [ "$status" -ne 0 ] || [ "$executions" -eq 0 ]; then
        found="$found $1"
        grep -a -h -E 'FINDING|ERROR|runtime error|Test unit written' "$logs"/fuzz-*.log
        [ "$executions" -gt 0 ] || tail -n 5 "$logs"/*.log
    fi
}

total=0
found=
for target in "$@"; do
    fuzz "$target"
done
echo "total: $total executions"
if [ -n "$found" ]; then
    echo "FINDINGS in$found: see $build/findings and $build/logs"
    exit 1
fi
