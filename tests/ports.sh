# ports.sh: the library on machines unlike this one. Part of run.sh, which has install and build.
#
# A port is built with Debian's cross compiler. The foreign packages that the tests link are only
# unpacked, into build/<port>-packages: dpkg never hears of them. i386 runs as it is, the others
# under qemu-user.

# port_names PORT: sets machine, architecture and emulator; 1 when there is no such port.
port_names() {
    case $1 in
    i386) machine=i686-linux-gnu architecture=i386 emulator= ;;
    aarch64) machine=aarch64-linux-gnu architecture=arm64 emulator=qemu-aarch64 ;;
    armhf) machine=arm-linux-gnueabihf architecture=armhf emulator=qemu-arm ;;
    s390x) machine=s390x-linux-gnu architecture=s390x emulator=qemu-s390x ;;
    *) return 1 ;;
    esac
}

# foreign_apt COMMAND...: apt-get for $architecture, with lists of its own in the current folder.
foreign_apt() {
    apt-get -q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
        -o "Dir::State::lists=$PWD/lists" -o "Dir::State::status=$PWD/status" \
        -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root "$@"
}

# unpack_foreign FOLDER PACKAGE...: unpacks packages of $architecture to FOLDER/root, once.
unpack_foreign() (
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial" && cd "$1" || exit 1
    shift
    [ -e complete ] && exit 0
    : >status
    foreign_apt update # a list that does not come is no failure, if the packages do
    foreign_apt download "$@" || exit 1
    for package in ./*.deb; do
        dpkg -x "$package" root || exit 1
    done
    : >complete
)

# install_port PORT: its compiler, emulator and packages.
install_port() {
    port_names "$1"
    install "gcc-$machine" "libc6-dev-$architecture-cross" &&
        { [ -z "$emulator" ] || install qemu-user; } &&
        unpack_foreign "build/$1-packages" libcmocka0 libcmocka-dev libjansson4 libjansson-dev \
            libxxhash-dev
}

# port PORT: builds it and runs the tests whose bytes and hashes are the same everywhere. The
# programs name the cross compiler's C library, so that they start without a root of their own.
port() {
    port_names "$1"
    build "$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2" \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${machine%%-*}" \
        -DCMAKE_C_COMPILER="$machine-gcc" -DCMAKE_FIND_ROOT_PATH="$PWD/build/$1-packages/root" \
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
        -DCMAKE_EXE_LINKER_FLAGS="$(starts_with "/usr/$machine/lib")" \
        -DFIRN_TEST_LAUNCHER="$emulator" -DFIRN_BUILD_EXAMPLES=OFF -DFIRN_BUILD_BENCH=OFF &&
        FIRN_SEEDS=50 FIRN_HISTORIES=10 FIRN_SYNC_TICKS=300 check "$1" -L 'unit|api|golden|cli'
}

# starts_with FOLDER: linker flags for programs that find the C library in FOLDER.
starts_with() {
    for loader in "$1"/ld-linux*.so.* "$1"/ld64.so.1; do
        [ -e "$loader" ] && break
    done
    echo "-Wl,--dynamic-linker=$loader -Wl,-rpath,$1"
}

# windows: builds the core, as rooms and as one file, and the examples with mingw-w64, and runs the
# driver under wine, in a Windows of its own.
windows() (
    mkdir -p build/windows-include && cp /usr/include/xxhash.h build/windows-include || exit 1
    export WINEPREFIX="$PWD/build/windows-prefix" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
    build windows -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2" -DCMAKE_SYSTEM_NAME=Windows \
        -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc -DFIRN_TEST_LAUNCHER=/usr/lib/wine/wine64 \
        -DFIRN_XXHASH_INCLUDE_DIR="$PWD/build/windows-include" \
        -DFIRN_BUILD_BENCH=OFF && check windows &&
        python3 src/amalgamate.py build/windows/amalgamation &&
        x86_64-w64-mingw32-gcc -std=c11 -Wall -Wextra -Werror -isystem build/windows-include \
            -c build/windows/amalgamation/firn.c -o build/windows/amalgamation/firn.o
)
