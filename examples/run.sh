#!/bin/sh
# examples/run.sh: builds the examples, runs them, and kills one in the middle of a save.
# Installs what is missing on Debian 12. Builds go to build/examples.
set -eu
cd "$(dirname "$0")/.."

packages="build-essential cmake libxxhash-dev"
build=build/examples

# Installs the packages that are missing, or says how to. The commands are split on purpose.
# shellcheck disable=SC2086
install_packages() {
    missing=
    for package in $packages; do
        dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return
    command="apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" -eq 0 ]; then
        as_root="env DEBIAN_FRONTEND=noninteractive"
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        as_root="sudo env DEBIAN_FRONTEND=noninteractive"
    else
        echo "missing packages; run: sudo $command" >&2
        exit 1
    fi
    echo "installing$missing"
    $as_root $command >/dev/null 2>&1 || {
        $as_root apt-get update -q >/dev/null
        $as_root $command >/dev/null
    }
}

# Shows a command, then runs it; its output is also in the file $output.
show() {
    echo "\$ $*" | sed "s|$build/examples/||; s|$folder/||g"
    "$@" >"$output"
    cat "$output"
}

# First and last word of the table that was shown last.
last_tick() {
    awk 'END { print $1 }' "$output"
}
last_hash() {
    awk 'END { print $NF }' "$output"
}

# Lets the village go on, with a save after every step, and kills it after 0.$1 seconds.
go_on_and_kill() {
    "$village" resume "$folder/killed.firn" 100000 --save "$folder/killed.firn" --save-every 1 \
        >/dev/null &
    pid=$!
    sleep "0.$1"
    kill -KILL "$pid" 2>/dev/null || true
    # The shell would print that it was killed.
    wait "$pid" 2>/dev/null || true
    pid=
}

# A temporary file that was left behind is the proof that a save was cut off.
left_behind() {
    find "$folder" -name '*.firn-tmp' | grep -q .
}

clean_up() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
    rm -rf "$folder"
}

install_packages
echo "building in $build"
mkdir -p "$build"
if ! { cmake -S . -B "$build" -DFIRN_BUILD_TESTS=OFF -DFIRN_BUILD_BENCH=OFF &&
    cmake --build "$build" --parallel 2; } >"$build/log" 2>&1; then
    tail -n 40 "$build/log" >&2
    exit 1
fi

pid=
folder=$(mktemp -d)
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
output=$folder/output
village=$build/examples/village

show "$build/examples/01_hello"
show "$build/examples/09_open_tecs"

echo
show "$village" run 600 --save "$folder/village.firn"
show "$village" resume "$folder/village.firn" 600
resumed=$(last_hash)
show "$village" run 1200
if [ -z "$resumed" ] || [ "$resumed" != "$(last_hash)" ]; then
    echo "FAILED: 600 and 600 steps with a save between them are not 1200 steps" >&2
    exit 1
fi
echo "600 steps, a save, and 600 more in another process: the same hash as 1200 steps"

echo
attempt=0
until left_behind; do
    attempt=$((attempt + 1))
    if [ "$attempt" -gt 60 ]; then
        echo "FAILED: of 60 kills none came in the middle of a save" >&2
        exit 1
    fi
    rm -f "$folder"/killed.firn*
    cp "$folder/village.firn" "$folder/killed.firn"
    go_on_and_kill "$((1 + attempt % 5))$((attempt * 37 % 10))$((attempt * 13 % 10))"
done
echo "SIGKILL in the middle of a save (try $attempt); it left $(basename "$folder"/*.firn-tmp)"
show "$village" resume "$folder/killed.firn" 0
echo "the save before it still loads: tick $(last_tick)"
