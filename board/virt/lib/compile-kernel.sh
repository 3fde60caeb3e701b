# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Source tree and configuration fragment in, kernel out. Its text is part of the cache key.

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

# compile_kernel MACHINE SOURCE BUILD FRAGMENT: leaves BUILD/.config and BUILD/kernel-image.
compile_kernel() {
    local machine=$1 source=$2 build=$3 fragment=$4 arch=x86_64 target=bzImage image=arch/x86/boot/bzImage unmet
    [[ $machine == qemu ]] || arch=um target=linux image=linux
    mkdir -p "$build"
    make -s -C "$source" O="$build" ARCH=$arch KCONFIG_ALLCONFIG="$fragment" allnoconfig >&2
    unmet=$(unmet_options "$fragment" "$build/.config")
    [[ ! $unmet ]] || fail "the kernel's configuration refused these options; next: find what" \
        "they depend on with 'make menuconfig' or move them to one machine or series: ${unmet//$'\n'/ }"
    nice -n 5 make -s -C "$source" O="$build" ARCH=$arch -j"$(nproc)" $target >&2
    ln "$build/$image" "$build/kernel-image"
}
