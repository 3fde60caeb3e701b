# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Gets libcamera of a Debian release, without installing it. Source board/common.sh first.
source "$repository/board/virt/lib/debian-archive.sh"

# libcamera_files SUITE [ARCH]: gets the library, its modules and its headers once, and prints their folder. Debian 12's
# own libcamera is too old, so bookworm means its backports.
libcamera_files() {
    local suite=$1 arch=${2:-amd64} folder scratch
    [[ $suite != bookworm ]] || suite=bookworm-backports
    folder=$cache/libcamera-$suite-$arch
    if [[ ! -d $folder ]]; then
        scratch=$(mktemp -d "$cache/.libcamera-XXXXXX")
        say "getting libcamera of $suite"
        prepare_apt "$scratch/apt" "$suite" "$arch" && (
            cd "$scratch"
            # The library's name has its version.
            library=$(apt-cache "${apt_options[@]}" depends libcamera-dev |
                sed -nE 's/.*Depends: (libcamera[0-9.]+)(:.*)?$/\1/p' | head -n 1)
            apt-get "${apt_options[@]}" -qq download "$library" libcamera-ipa libcamera-dev >&2 &&
                for package in *.deb; do dpkg-deb -x "$package" files || exit 1; done
        ) || { rm -rf "$scratch"; fail "libcamera of $suite cannot be downloaded; next: see apt-get's error above"; }
        mv -T "$scratch/files" "$folder" 2>/dev/null || true # another run was faster
        rm -rf "$scratch"
    fi
    echo "$folder"
}
