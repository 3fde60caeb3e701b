# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Gets Debian's kernel source packages.
source "$board/lib/debian-archive.sh"

# download_source SUITE PATTERN FOLDER: downloads the newest linux-source-PATTERN of SUITE into FOLDER and prints the
# .deb's path. PATTERN is an extended regular expression that chooses the series.
download_source() {
    local suite=$1 pattern=$2 folder=$3 scratch package deb
    scratch=$(mktemp -d "$folder/.apt-XXXXXX")
    prepare_apt "$scratch" "$suite" || { rm -rf "$scratch"; return 1; }
    package=$(apt-cache "${apt_options[@]}" pkgnames linux-source- |
        grep -E "^linux-source-$pattern\$" | sort -V | tail -n 1) || true
    if [[ ! $package ]]; then
        say "$suite has no linux-source-$pattern"
        rm -rf "$scratch"
        return 1
    fi
    say "downloading $package of $suite"
    (cd "$scratch" && apt-get "${apt_options[@]}" -qq download "$package" >&2) ||
        { rm -rf "$scratch"; return 1; }
    deb=$(basename "$scratch"/linux-source-*.deb)
    mv "$scratch/$deb" "$folder/$deb"
    rm -rf "$scratch"
    printf '%s\n' "$folder/$deb"
}

# unpack_source DEB FOLDER: unpacks the kernel tree of the package without installing it.
unpack_source() {
    local deb=$1 folder=$2 package
    package=$(dpkg-deb --field "$deb" Package)
    mkdir -p "$folder"
    dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/src/$package.tar.xz" |
        tar -xJ --strip-components=1 -C "$folder"
}
