# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Roots of other Debian releases and commands in them, for the boards' scripts. Source board/common.sh first.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

require_root() {
    [[ $(id -u) == 0 ]] || fail "unpacking a foreign root file system needs root; next: sudo $0"
}

# mirror: prints this machine's own Debian mirror.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/$' ||
        fail "apt knows no Debian mirror; next: mend /etc/apt/sources.list"
}

# debootstrap ARGUMENTS...: runs mmdebstrap, which is only unpacked below the cache.
debootstrap() {
    [[ -e $keyring ]] || fail "no $keyring; next: apt-get install debian-archive-keyring"
    local tools=$cache/tools
    if [[ ! -x $tools/usr/bin/mmdebstrap ]]; then
        mkdir -p "$tools"
        (cd "$tools" && rm -f mmdebstrap_*.deb && apt-get -qq -o APT::Sandbox::User=root download mmdebstrap && dpkg -x mmdebstrap_*.deb .)
    fi
    LC_ALL=C.UTF-8 "$tools/usr/bin/mmdebstrap" --quiet --mode=root --keyring="$keyring" \
        --aptopt='Acquire::Check-Valid-Until "false"' "$@"
}

# in_root ROOT [FROM:TO]... -- COMMAND...: runs the command in the root, with the folders FROM of this machine at TO and
# with this machine's git settings. All mounts are private to the command and end with it.
in_root() {
    local root=$1 mounts=()
    shift
    while [[ $1 != -- ]]; do mounts+=("$1"); shift; done
    shift
    root=$root mounts="${mounts[*]}" unshare -m --propagation private bash -euc '
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        # If git reads packages from a folder here, git in the root reads them from the same folder.
        for folder in $(git config --get-regexp "^url\..*\.insteadof$" |
            sed -n "s/^url\.\(file:\/\/\)\?\(\/[^ ]*\)\.insteadof .*/\2/p" | sort -u); do
            mkdir -p "$root$folder"
            mount --bind -o ro "$folder" "$root$folder"
        done
        for mount in $mounts; do
            mkdir -p "$root${mount#*:}"
            mount --bind "${mount%%:*}" "$root${mount#*:}"
        done
        cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
        git config --system --list >/dev/null 2>&1 && cp /etc/gitconfig "$root/etc/" || true
        git --git-dir="$root/nowhere" config --file "$root/root/.gitconfig" safe.directory "*"
        git --git-dir="$root/nowhere" config --file "$root/root/.gitconfig" protocol.file.allow always
        exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
    ' in-root "$@"
}
