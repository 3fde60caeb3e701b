# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Gets libgpiod 2, which Debian 13 has and Debian 12 lacks.
source "$board/lib/debian-archive.sh"

# gpiod2_flags: prints the compiler flags for libgpiod 2: the machine's own package if it is 2.x, otherwise trixie's,
# unpacked below the cache.
gpiod2_flags() {
    local folder=$cache/gpiod-2 scratch libraries
    if pkg-config --atleast-version=2 libgpiod 2>/dev/null; then
        pkg-config --cflags --libs libgpiod
        return
    fi
    if [[ ! -d $folder ]]; then
        scratch=$(mktemp -d "$cache/.gpiod-XXXXXX")
        say "getting libgpiod 2 of trixie"
        prepare_apt "$scratch/apt" trixie && (cd "$scratch" &&
            apt-get "${apt_options[@]}" -qq download libgpiod3 libgpiod-dev >&2 &&
            dpkg-deb -x libgpiod3_*.deb files && dpkg-deb -x libgpiod-dev_*.deb files) ||
            { rm -rf "$scratch"; fail "libgpiod 2 cannot be downloaded; next: see apt-get's error above"; }
        mv -T "$scratch/files" "$folder" 2>/dev/null || true # another run was faster
        rm -rf "$scratch"
    fi
    libraries=("$folder"/usr/lib/*/libgpiod.so)
    echo "-I$folder/usr/include -L${libraries[0]%/*} -Wl,-rpath,${libraries[0]%/*} -lgpiod"
}
