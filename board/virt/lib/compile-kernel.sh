# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Source tree and configuration fragment in, bzImage out. Its text is part of the cache key.

# unmet_options FRAGMENT CONFIG: prints every wish of FRAGMENT that CONFIG does not grant.
unmet_options() {
    local fragment=$1 config=$2 line name
    while read -r line; do
        case $line in
            CONFIG_*=n) name=${line%=n} ;;
            '# CONFIG_'*' is not set') name=${line#\# } name=${name% is not set} ;;
            CONFIG_*) grep -qxF "$line" "$config" || echo "$line"; continue ;;
            *) continue ;;
        esac
        if grep -q "^$name=" "$config"; then echo "$name=n"; fi
    done <"$fragment"
}

# compile_kernel SOURCE BUILD FRAGMENT: leaves BUILD/.config and BUILD/arch/x86/boot/bzImage.
compile_kernel() {
    local source=$1 build=$2 fragment=$3 unmet
    mkdir -p "$build"
    make -s -C "$source" O="$build" ARCH=x86_64 KCONFIG_ALLCONFIG="$fragment" allnoconfig >&2
    unmet=$(unmet_options "$fragment" "$build/.config")
    [[ ! $unmet ]] || fail "the kernel's configuration refused these options; next: find what" \
        "they depend on with 'make menuconfig' or move them to one series: ${unmet//$'\n'/ }"
    nice -n 5 make -s -C "$source" O="$build" ARCH=x86_64 -j"$(nproc)" bzImage >&2
}
