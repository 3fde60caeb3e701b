# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by build and test; sourced, not run.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
source "$repository/board/chroot.sh"
source "$repository/board/build-flags.sh"
shopt -s inherit_errexit
suite=trixie arch=amd64
packages=$cache/packages

# suite_option OPTION [VALUE]: sets suite or arch by one of these two options, or explains the usage.
suite_option() {
    case $1=${2:-} in
        --suite=trixie | --suite=bookworm) suite=$2 ;;
        --arch=amd64 | --arch=arm64) arch=$2 ;;
        *) usage ;;
    esac
}
# suite_ready: ends unless packages of the suite and architecture can be made here.
suite_ready() {
    [[ $suite-$arch != bookworm-arm64 ]] ||
        fail "there is no Swift for bookworm on arm64; next: --suite trixie, the release of Raspberry Pi OS, too"
    require_root
    mkdir -p "$packages"
    stage=$packages/stage-$suite-$arch
    log=$packages/$suite-$arch.log
}

# The program links with the libraries of board/host/packages; what it opens at run time is only recommended.
libraries() { sed 's/#.*//' "$repository/board/host/packages" | grep -E '^lib.*-dev' | sort; }

# build_root: makes the root with the packaging tools and the libraries, unless there is one; prints its path.
build_root() {
    local include root
    include=$(printf '%s,' debhelper lintian fakeroot python3-minimal git ca-certificates pkgconf tzdata libxml2 libcurl4 \
        libncurses6 libsqlite3-0 libuuid1 file $(libraries))
    local architectures=amd64
    if [[ $arch == arm64 ]]; then
        architectures+=,arm64
        include+=crossbuild-essential-arm64,$(libraries | sed 's/$/:arm64/' | paste -sd,)
    fi
    root=$packages/root-$suite-$arch-$(sha256sum <<<"$include" | cut -c1-12)
    if [[ ! -e $root.done ]]; then
        say "a build root of $suite for $arch (some minutes)"
        rm -rf "$root"
        debootstrap --variant=buildd --architectures=$architectures --include="${include%,}" \
            "$suite" "$root" "deb [signed-by=$keyring] $(mirror) $suite main" >&2
        touch "$root.done"
    fi
    echo "$root"
}

# compile ROOT BUILD ARGUMENTS...: builds in the root with this machine's Swift, in the folder BUILD of the stage. The
# paths in what is built are those of the root.
compile() {
    local root=$1 build=$stage/$2
    shift 2
    mkdir -p "$stage/source" "$build"
    rsync --recursive --links --perms --checksum --delete --exclude /.git --exclude /.build \
        "$repository/" "$stage/source/"
    in_root "$root" "$(toolchain):/swift" "$stage/source:/src" "$build:/build" -- \
        env PATH=/swift/bin:/usr/bin:/bin VITRINE_VERSION="$VITRINE_VERSION" \
        swift build --package-path /src --scratch-path /build "$@" \
        >"$log" 2>&1 || { grep 'error:' "$log" | sort -u >&2; fail "the build failed; the whole log: $log"; }
}
toolchain() { dirname "$(dirname "$(realpath "$(command -v swift)")")"; }
