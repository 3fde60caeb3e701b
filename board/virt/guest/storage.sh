# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# A small disk for the library, which a case can fill and make fail.

disk_file=/tmp/disk
dm_name=library

release_disk() {
    umount -l "$work/library" 2>/dev/null
    [[ ! ${mapped:-} ]] || dmsetup remove --noudevsync --deferred "$dm_name"
    losetup -d "$disk"
}

# make_disk MEGABYTES MKFS-OPTIONS...: makes an empty ext4 at $disk and mounts it where the library is.
make_disk() {
    local megabytes=$1
    shift
    truncate -s "${megabytes}M" "$disk_file"
    disk=$(losetup --find --show "$disk_file")
    trap release_disk EXIT
    mkfs.ext4 -q -m 0 "$@" "$disk"
    mount_disk
}
mount_disk() { mount -o errors=continue "${mapped:-$disk}" "$work/library"; }

# map_disk: puts the device mapper in between, so that writes can be made to fail.
map_disk() {
    umount "$work/library"
    sectors=$(blockdev --getsz "$disk")
    dmsetup create "$dm_name" --noudevsync --table "0 $sectors linear $disk 0"
    dmsetup mknodes "$dm_name"
    mapped=/dev/mapper/$dm_name
    mount_disk
}
set_table() {
    dmsetup suspend --noflush --nolockfs --noudevsync "$dm_name"
    dmsetup load "$dm_name" --table "$1"
    dmsetup resume --noudevsync "$dm_name"
}
# fail_writes: every write fails with EIO; reads still work.
fail_writes() { set_table "0 $sectors flakey $disk 0 0 1 1 error_writes"; }
# stall_disk: every writer waits until wake_disk.
stall_disk() { dmsetup suspend --noflush --nolockfs --noudevsync "$dm_name"; }
wake_disk() { dmsetup resume --noudevsync "$dm_name"; }
mend_writes() { set_table "0 $sectors linear $disk 0"; }

free_kilobytes() { df --output=avail -k "$work/library" | tail -n 1; }
# leave_free KILOBYTES: fills the disk until that or a little less is free. There is never more free in between.
leave_free() {
    local filler=$work/library/filler left
    (($(free_kilobytes) >= $1)) || rm -f "$filler"
    : >>"$filler"
    while left=$(($(free_kilobytes) - $1)); ((left > 0)); do
        # The blocks that describe blocks need space, too.
        fallocate --offset "$(stat -c %s "$filler")" -l "${left}K" "$filler" 2>/dev/null ||
            head -c 65536 /dev/zero >>"$filler" 2>/dev/null || break
    done
}
empty_disk() { rm -f "$work/library/filler"; }

# expect_whole_library: photos that were reported saved (saved.ids) exist and decode, no file is unknown to the
# database, and nothing is half-written.
expect_whole_library() {
    vitrine library list --json >listed.jsonl || wrong "no list"
    jq -r .id listed.jsonl | sort >listed.ids
    sort -u saved.ids >reported.ids
    [[ -z $(comm -23 reported.ids listed.ids) ]] ||
        wrong "reported saved and not in the library: $(comm -23 reported.ids listed.ids | head -n 3)"
    find library/originals -type f -printf '%f\n' | sed 's/\.jpg$//' | sort >files.ids
    [[ -z $(comm -3 listed.ids files.ids) ]] || wrong "files and assets differ: $(comm -3 listed.ids files.ids | head -n 3)"
    [[ -z $(find library/incoming -type f) ]] || wrong "left in incoming/: $(ls library/incoming)"
    [[ ! -s listed.ids ]] || find library/originals -name '*.jpg' -print0 | xargs -0 jpeginfo -c >jpeginfo.txt ||
        wrong "a photo does not decode: $(grep -v OK jpeginfo.txt | head -n 1)"
}

# expect_judge_notices: the control: a photo that is not in the library, a missing file, a truncated file and one that
# the database does not have are noticed. Leaves the library as it was.
expect_judge_notices() {
    local first
    cp saved.ids kept.ids
    echo 00000000-0000-0000-0000-000000000000 >>saved.ids
    (expect_whole_library) >/dev/null && wrong "control: a photo that is not in the library is not noticed"
    mv kept.ids saved.ids
    first=$(find library/originals -name '*.jpg' -print -quit)
    mv "$first" kept.jpg
    (expect_whole_library) >/dev/null && wrong "control: a file that is gone is not noticed"
    head -c 5000 kept.jpg >"$first"
    (expect_whole_library) >/dev/null && wrong "control: a photo that is cut short counts as whole"
    cp kept.jpg "$first"
    : >library/incoming/left
    (expect_whole_library) >/dev/null && wrong "control: a half-written file is not noticed"
    rm library/incoming/left
    expect_whole_library
}

# on_medium PATH: whether the name of a file of the library has reached the disk below, whatever is still in the
# kernel's memory. The inode's link count tells: fsck removes an inode without a name.
on_medium() {
    debugfs -R "stat <$(stat -c %i "$1")>" "$disk_file" 2>/dev/null | matches 'Links: 1 '
}

# take_photo: appends the photo's id to saved.ids; the exit status is the program's.
take_photo() {
    local ended=0
    vitrine capture photo --json >photo.json 2>photo.err || ended=$?
    ((ended != 0)) || jq -r .id photo.json >>saved.ids
    return "$ended"
}
