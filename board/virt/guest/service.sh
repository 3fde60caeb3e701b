# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that run the shipped unit, started by a systemd: installs the overlay and the program, and returns
# when the unit is active.

source "$guest/vitrine.sh"

panel create
repository=$guest/../../..
cp -r --no-preserve=ownership "$repository/rootfs-overlay/." /
install -m 755 "$VITRINE" /usr/bin/vitrine
: >/etc/fstab
rm -rf /var/lib/vitrine
configuration "$(vivid_camera XR24)"
sed 's|^path = .*|path = "/var/lib/vitrine/library"|' vitrine.toml >/etc/vitrine/vitrine.toml
printf '[recording]\nmicrophone = "Loopback,1"\n' >>/etc/vitrine/vitrine.toml
# If the host's files belong to an ordinary user, the guest cannot read the secrets and starts without them.
cat /etc/shadow /etc/gshadow >/dev/null 2>&1 || rm -f /etc/shadow /etc/gshadow
# Another program, which may add photos and nothing else.
printf 'u program - - - -\nm program vitrine\n' >/usr/lib/sysusers.d/program.conf
sed -i 's/^\[access\]//; $ a [access]\nservices = "program"' /etc/vitrine/vitrine.toml
# A kiosk gets these groups from Debian's packages; the sysusers file has vitrine.
systemd-sysusers || wrong "sysusers failed"
systemd-tmpfiles --create vitrine.conf || wrong "tmpfiles failed"
unset VITRINE_SOCKET

# Start only what the unit and udev need, not what the host has enabled.
cat >/etc/systemd/system/case.target <<'UNIT'
[Unit]
Wants=vitrine.service systemd-udevd.service systemd-udev-trigger.service systemd-journald.service
AllowIsolate=yes
UNIT
systemctl mask --quiet timers.target getty.target systemd-timesyncd.service \
    systemd-tmpfiles-setup.service systemd-networkd.service dbus.service networking.service systemd-logind.service 2>/dev/null
# systemd brings credentials to a unit by a mount, which other mount namespaces see only if mounts are shared.
mount --make-rshared /
# The first process of a new PID namespace is a full system manager. It ends with the case.
unshare --fork --kill-child --pid --mount-proc --propagation unchanged -- \
    /lib/systemd/systemd --system --unit=case.target --show-status=no >"$work/systemd.log" 2>&1 &
booted=$!
# inside COMMAND...: runs the command where that systemd is process 1.
inside() { nsenter --target "$(pgrep -P "$booted" -x systemd)" --pid --mount --root -- "$@"; }
shows() { inside systemctl show --value -p "$1" vitrine.service; }
is_active() { [[ $(shows ActiveState 2>/dev/null) == active ]]; }
explain() {
    inside systemctl status --no-pager --lines 30 vitrine.service systemd-udevd.service || true
    ls -l /dev/dri /dev/video* /dev/gpiochip* || true
    tail -n 20 "$work/systemd.log"
}
wait_until is_active || { explain; wrong "the unit does not become active"; }

status() { inside vitrine status --json | jq -r "$@"; }
runs() { [[ $(status '"\(.camera.state) \(.preview.path)"') == 'running exported' ]]; }
returned_from() { [[ $(shows MainPID) != "$1" ]] && is_active && runs; }
