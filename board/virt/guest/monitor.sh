# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# A display made by hand, so that it can be unplugged (vkms in configfs, Linux 7 on). For boots with
# vkms.create_default_dev=0.

monitor=/sys/kernel/config/vkms/kiosk
if [[ ! -d $monitor ]]; then # an earlier case of this boot may have made it
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
# It can only be taken away when nobody uses it.
remove_monitor() { echo 0 >"$monitor/enabled"; }
