# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Gets packages of another Debian release through a private apt root, so that neither the machine's sources nor its
# package lists change. The archive's address comes from the machine's own apt configuration; signatures are checked
# with the machine's keyring.

# debian_archive: prints the first plain Debian archive that apt knows, not the security archive or a third party's.
debian_archive() {
    local uri
    uri=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
        'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | head -n 1)
    # Before package lists are fetched apt knows no origin: choose by the path.
    [[ $uri ]] || uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
        grep -m 1 '/debian/$') || true
    [[ $uri ]] || fail "apt knows no Debian archive here; next: add one and run apt-get update"
    printf '%s\n' "$uri"
}

# prepare_apt ROOT SUITE [ARCH]: makes the private root, sets apt_options and fetches the suite's package list.
prepare_apt() {
    local root=$1 suite=$2 arch=${3:-$(dpkg --print-architecture)} keyring=/usr/share/keyrings/debian-archive-keyring.gpg uri
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
        -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
    )
    apt-get "${apt_options[@]}" -qq update >&2
}
