# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# A display made by hand, which can be unplugged (vkms in configfs, since Linux 7). For boots with
# vkms.create_default_dev=0.

monitor=/sys/kernel/config/vkms/kiosk
if [[ ! -d $monitor ]]; then # made once per boot
    mkdir "$monitor"
    mkdir "$monitor"/{planes/video,planes/texts,crtcs/crtc,encoders/encoder,connectors/hdmi}
    echo 1 >"$monitor/planes/video/type"
    echo 0 >"$monitor/planes/texts/type"
    echo 1 >"$monitor/crtcs/crtc/writeback"
    for user in planes/video planes/texts encoders/encoder; do
        ln -s "$monitor/crtcs/crtc" "$monitor/$user/possible_crtcs/"
    done
    ln -s "$monitor/encoders/encoder" "$monitor/connectors/hdmi/possible_encoders/"
fi
echo 1 >"$monitor/connectors/hdmi/status"
echo 1 >"$monitor/enabled"

plug_monitor() { echo 1 >"$monitor/connectors/hdmi/status"; }
unplug_monitor() { echo 2 >"$monitor/connectors/hdmi/status"; }
# The display can be removed only while it is not in use.
remove_monitor() { echo 0 >"$monitor/enabled"; }
