# analysis.sh: what the tests reach, and what analysers say. Part of run.sh, which has build.
#
# Both look at src as it is built on Linux; the files of Windows have a suite of their own. Exceptions
# to the rules of clang-tidy stand with their reasons in .clang-tidy.

LEAST_LINES=97 # percent
LEAST_BRANCHES=90

# coverage_report OPTION...: gcovr of src. An assert has a branch that nobody may take.
coverage_report() {
    gcovr build/coverage --root . --filter src/ --exclude-branches-by-pattern '.*\bassert\(.*' "$@"
}

# Runs the tests of the code, not those of its layout and packages, and prints the lines and branches
# they reach; build/coverage/coverage.txt has them file by file. unreached.txt has what no test reaches.
coverage() {
    # Threads count lines, too: atomically, or counts come out below zero.
    build coverage -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=None -DFIRN_BUILD_BENCH=OFF \
        -DFIRN_BUILD_EXAMPLES=OFF -DCMAKE_C_FLAGS="-O0 -g --coverage -fprofile-update=atomic" ||
        return 1
    find build/coverage -name '*.gcda' -delete
    FIRN_BYTES=0.01 check coverage -E '^(layers_.*|package|amalgamation|love|browser|lua_rockspec)$' >build/coverage/tests.txt || {
        cat build/coverage/tests.txt
        return 1
    }
    {
        coverage_report --txt && coverage_report --txt --branches
    } >build/coverage/coverage.txt || return 1
    coverage_report --json >build/coverage/lines.json &&
        python3 tests/unreached.py build/coverage/lines.json tests/unreached.txt || return 1
    coverage_report --print-summary --fail-under-line "$LEAST_LINES" \
        --fail-under-branch "$LEAST_BRANCHES" -o build/coverage/lines.txt
}

# each_source COMMAND...: runs it with each source file as its last argument.
each_source() {
    find src -name '*.c' ! -name '*windows.c' -print0 | sort -z |
        xargs -0 -n 1 -P "$JOBS" "$@"
}

# gcc -fanalyzer, cppcheck and clang-tidy; nothing they say is let through.
analysis() {
    analysis_result=0
    options=$(pkg-config --cflags-only-I luajit | sed 's/-I/-isystem /g') || return 1
    options="$options -DFIRN_ZSTD -DFIRN_JSON"
    # shellcheck disable=SC2086
    # Not to /dev/null: a compiler that fails removes its output, which root may.
    each_source gcc -std=c11 -O1 -fanalyzer -Werror -Iinclude -Isrc $options -S -o - >build/analysis.s ||
        analysis_result=1
    cppcheck --std=c11 --enable=warning,performance,portability --error-exitcode=1 --quiet \
        -j "$JOBS" -Iinclude -Isrc src || analysis_result=1
    # shellcheck disable=SC2016
    each_source sh -c 'clang-tidy-14 --quiet "$2" -- -std=c11 -Iinclude -Isrc $1' sh "$options" \
        2>build/analysis.log || analysis_result=1
    return $analysis_result
}
