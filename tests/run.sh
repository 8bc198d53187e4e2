#!/bin/sh
# tests/run.sh: the whole suite on Debian 12; installs what is missing.
#
#   sh tests/run.sh             the suites that every change passes
#   sh tests/run.sh all         and those that take long or need more packages
#   sh tests/run.sh gcc headers only the named suites
#
# JOBS sets how many compilers and tests run at once (all processors). Builds go to build/<suite>.
set -u
cd "$(dirname "$0")/.." || exit 1

JOBS=${JOBS:-$(nproc)}
PACKAGES="build-essential g++ cmake ninja-build clang libclang-rt-14-dev libcmocka-dev
libxxhash-dev libjansson-dev libzstd-dev luajit libluajit-5.1-dev strace pkg-config python3"
DEFAULT_SUITES="headers clang gcc-sanitized tsan clang-sanitized gcc"
ALL_SUITES="headers clang gcc-sanitized tsan gcc-O0 gcc-O3 clang-O0 clang-O3 shared valgrind
i386 aarch64 armhf s390x windows love browser coverage analysis clang-sanitized fuzz gcc"

export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

# install PACKAGE...: installs those that are missing; 1 when that is not possible.
install() {
    missing=
    for package in "$@"; do
        dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    command="apt-get install -y --no-remove --no-install-recommends$missing"
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        as_root=sudo
    else
        echo "missing packages; run: sudo $command" >&2
        return 1
    fi
    echo "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    if ! $as_root $command >/dev/null 2>&1; then
        $as_root apt-get update -q >/dev/null && $as_root $command >/dev/null
    fi
}

# build SUITE [OPTION...]: configures and builds build/SUITE with warnings as errors; all of it, or
# $TARGETS.
# shellcheck disable=SC2086
build() {
    build_dir=build/$1
    shift
    cmake -S . -B "$build_dir" -G Ninja -DFIRN_DEV=ON "$@" >"$build_dir.log" 2>&1 &&
        cmake --build "$build_dir" --parallel "$JOBS" --target ${TARGETS:-all} \
            >>"$build_dir.log" 2>&1 && return 0
    tail -n 60 "$build_dir.log"
    return 1
}

# check SUITE [OPTION...]: ctest in build/SUITE.
check() {
    check_dir=build/$1
    shift
    ctest --test-dir "$check_dir" --parallel "$JOBS" --output-on-failure --no-tests=error "$@"
}

. tests/ports.sh
. tests/analysis.sh

# Optimized, but with its asserts.
GCC="-DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=None"
CLANG="-DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None"
SANITIZE="-DFIRN_SANITIZE=address,undefined"
APART="-LE love|browser" # these labels have suites of their own

# Each public header compiles alone, as C++17.
headers() {
    for header in include/firn/*.h; do
        echo "#include \"firn/${header##*/}\"" |
            g++ -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude -x c++ - ||
            return 1
    done
}

# suite NAME: runs one suite. The options above are split on purpose.
# shellcheck disable=SC2086
suite() {
    case $1 in
    headers) headers ;;
    gcc)
        build gcc $GCC -DCMAKE_C_FLAGS="-O2 -g" &&
            FIRN_HISTORIES=$HISTORIES FIRN_SYNC_TICKS=$SYNC_TICKS check gcc $APART ;;
    gcc-O0) build gcc-O0 $GCC -DCMAKE_C_FLAGS="-O0 -g" && FIRN_BYTES=1 check gcc-O0 $APART ;;
    gcc-O3) build gcc-O3 $GCC -DCMAKE_C_FLAGS="-O3 -DNDEBUG" && FIRN_BYTES=1 check gcc-O3 $APART ;;
    clang) build clang $CLANG -DCMAKE_C_FLAGS="-O2 -g" && check clang -L unit ;;
    clang-O0) build clang-O0 $CLANG -DCMAKE_C_FLAGS="-O0 -g" && check clang-O0 -L unit ;;
    clang-O3) build clang-O3 $CLANG -DCMAKE_C_FLAGS="-O3 -DNDEBUG" && check clang-O3 -L unit ;;
    gcc-sanitized)
        build gcc-sanitized $GCC $SANITIZE -DCMAKE_C_FLAGS="-O1 -g" &&
            check gcc-sanitized -L unit ;;
    clang-sanitized)
        build clang-sanitized $CLANG $SANITIZE -DCMAKE_C_FLAGS="-O1 -g" &&
            FIRN_BYTES=${SANITIZED_BYTES:-${FIRN_BYTES:-1}} check clang-sanitized ;;
    shared)
        build shared $GCC -DBUILD_SHARED_LIBS=ON -DCMAKE_C_FLAGS="-O2 -g" &&
            check shared -L unit ;;
    tsan)
        (TARGETS=firn_thread_tests &&
            build tsan $CLANG -DFIRN_SANITIZE=thread -DCMAKE_C_FLAGS="-O1 -g") &&
            check tsan -L threads ;;
    fuzz) sh tests/fuzz/run.sh "${FIRN_FUZZ_MINUTES:-1.4}" ;; # 10 s a target
    valgrind)
        build valgrind $GCC -DCMAKE_C_FLAGS="-O1 -g" -DFIRN_TEST_LAUNCHER="$VALGRIND" &&
            FIRN_BYTES=0.01 check valgrind -L 'unit|fault' ;;
    i386 | aarch64 | armhf | s390x) port "$1" ;;
    windows) windows ;;
    love)
        (TARGETS="firn_core firn_lua_files" &&
            build love $GCC -DCMAKE_C_FLAGS="-O2 -g") && check love -L love ;;
    browser)
        (TARGETS="firn_tool report_write" &&
            build browser $GCC -DCMAKE_C_FLAGS="-O2 -g") && check browser -L browser ;;
    coverage) coverage ;;
    analysis) analysis ;;
    *)
        echo "there is no suite $1; there are: $ALL_SUITES"
        return 1 ;;
    esac
}

VALGRIND="valgrind;-q;--error-exitcode=9;--leak-check=full"

# Says why a suite cannot run here; silent when it can.
reason_to_skip() {
    case $1 in
    valgrind) install valgrind >/dev/null 2>&1 || echo "valgrind is not installed" ;;
    coverage) install gcovr >/dev/null 2>&1 || echo "gcovr is not installed" ;;
    analysis)
        install cppcheck clang-tidy-14 >/dev/null 2>&1 ||
            echo "cppcheck or clang-tidy-14 is not installed" ;;
    fuzz)
        [ -n "$(find "$(clang -print-resource-dir)" -name 'libclang_rt.fuzzer-*.a')" ] ||
            echo "clang has no fuzzer runtime: install libclang-rt-14-dev" ;;
    i386 | aarch64 | armhf | s390x)
        install_port "$1" >"build/$1-packages.log" 2>&1 ||
            echo "what it needs cannot be installed: $(tail -n 1 "build/$1-packages.log")" ;;
    love)
        install love xvfb xauth >"build/$1-packages.log" 2>&1 ||
            echo "love, xvfb or xauth is not installed" ;;
    browser)
        install chromium >"build/$1-packages.log" 2>&1 || echo "chromium is not installed" ;;
    windows)
        install gcc-mingw-w64-x86-64-posix wine64 >"build/$1-packages.log" 2>&1 ||
            echo "what it needs cannot be installed: $(tail -n 1 "build/$1-packages.log")" ;;
    esac
}

failed=
# Runs a suite and prints its seconds.
run() {
    reason=$(reason_to_skip "$1")
    if [ -n "$reason" ]; then
        echo "SKIP $1: $reason"
        return
    fi
    echo "==== $1"
    started=$(date +%s)
    if suite "$1"; then
        echo "---- $1: passed in $(($(date +%s) - started)) s"
    else
        echo "---- $1: FAILED after $(($(date +%s) - started)) s"
        failed="$failed $1"
    fi
}

# shellcheck disable=SC2086
install $PACKAGES || exit 1
mkdir -p build

HISTORIES=${FIRN_HISTORIES:-50}
SYNC_TICKS=${FIRN_SYNC_TICKS:-2000}
case ${1:-} in
'') suites=$DEFAULT_SUITES ;;
all)
    suites=$ALL_SUITES
    # Histories of a game that are saved, and ticks of it with a load at each: so many in gcc.
    HISTORIES=${FIRN_HISTORIES:-500}
    SYNC_TICKS=${FIRN_SYNC_TICKS:-100000}
    install luarocks || echo "no luarocks: the rockspec is read, and no rock is made"
    # Ten times the damaged images in gcc, three times in clang-sanitized; gcc-O0 and gcc-O3 keep
    # to one.
    export FIRN_BYTES="${FIRN_BYTES:-10}"
    SANITIZED_BYTES=${SANITIZED_BYTES:-3}
    export FIRN_SEEDS="${FIRN_SEEDS:-1000}" # runs that are saved, and go on in another process
    ;;
*) suites=$* ;;
esac
for name in $suites; do
    run "$name"
done

if [ -n "$failed" ]; then
    echo "FAILED:$failed"
    exit 1
fi
echo "passed: $suites" | tr '\n' ' '
echo
