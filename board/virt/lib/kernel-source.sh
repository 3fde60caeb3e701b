# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Gets Debian's kernel source packages through an apt root of our own, so that neither the
# machine's sources nor its package lists change. The archive's address comes from the
# machine's own apt configuration, the signatures are checked with its own keyring.

# The first plain Debian archive (not security, not a third party's) that apt knows.
debian_archive() {
    local uri
    uri=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
        'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | head -n 1)
    # Where package lists were never fetched there is no origin to go by, only the path.
    [[ $uri ]] || uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
        grep -m 1 '/debian/$') || true
    [[ $uri ]] || fail "apt knows no Debian archive here; next: add one and run apt-get update"
    printf '%s\n' "$uri"
}

# prepare_apt ROOT SUITE: makes the private root and fetches the suite's package list.
prepare_apt() {
    local root=$1 suite=$2 keyring=/usr/share/keyrings/debian-archive-keyring.gpg uri
    uri=$(debian_archive)
    mkdir -p "$root"/{state/lists/partial,cache/archives/partial}
    : >"$root/status"
    printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$suite" >"$root/sources.list"
    apt_options=(
        -o "Dir::State=$root/state" -o "Dir::State::status=$root/status"
        -o "Dir::Cache=$root/cache" -o "Dir::Etc::SourceList=$root/sources.list"
        -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null
        -o Dir::Etc::PreferencesParts=/dev/null -o Acquire::Languages=none
        -o Acquire::Retries=3 -o APT::Sandbox::User=root
    )
    apt-get "${apt_options[@]}" -qq update >&2
}

# download_source SUITE PATTERN FOLDER: puts the newest linux-source-PATTERN of SUITE into
# FOLDER (an extended regular expression chooses the series) and prints the .deb's path.
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

# unpack_source DEB FOLDER: the kernel tree inside the package, without installing it.
unpack_source() {
    local deb=$1 folder=$2 package
    package=$(dpkg-deb --field "$deb" Package)
    mkdir -p "$folder"
    dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/src/$package.tar.xz" |
        tar -xJ --strip-components=1 -C "$folder"
}
