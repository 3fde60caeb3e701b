/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include "descriptors.h"
#include "gadget.h"
#include "little-endian.h"

#include <linux/usb/video.h>

enum { AUTOMATIC = 8, MANUAL = 1 }; /* modes of exposure: aperture priority, manual */

static const struct setting {
    uint8_t unit, selector, bytes;
    int32_t least, most, step, usual;
} table[SETTING_COUNT] = {
    /* The step of a control with modes is the set of its modes. */
    {CAMERA_TERMINAL, UVC_CT_AE_MODE_CONTROL, 1, MANUAL, AUTOMATIC, AUTOMATIC | MANUAL, AUTOMATIC},
    {CAMERA_TERMINAL, UVC_CT_EXPOSURE_TIME_ABSOLUTE_CONTROL, 4, 1, 10000, 1, 80},
    {CAMERA_TERMINAL, UVC_CT_FOCUS_ABSOLUTE_CONTROL, 2, 0, 250, 5, 0},
    {CAMERA_TERMINAL, UVC_CT_FOCUS_AUTO_CONTROL, 1, 0, 1, 1, 1},
    {CAMERA_TERMINAL, UVC_CT_ZOOM_ABSOLUTE_CONTROL, 2, 100, 400, 1, 100},
    {PROCESSING_UNIT, UVC_PU_BACKLIGHT_COMPENSATION_CONTROL, 2, 0, 1, 1, 0},
    {PROCESSING_UNIT, UVC_PU_BRIGHTNESS_CONTROL, 2, -64, 64, 1, 0},
    {PROCESSING_UNIT, UVC_PU_CONTRAST_CONTROL, 2, 0, 95, 1, 32},
    {PROCESSING_UNIT, UVC_PU_GAIN_CONTROL, 2, 0, 255, 1, 64},
    {PROCESSING_UNIT, UVC_PU_POWER_LINE_FREQUENCY_CONTROL, 1, 0, 2, 1, 2},
    {PROCESSING_UNIT, UVC_PU_WHITE_BALANCE_TEMPERATURE_CONTROL, 2, 2800, 6500, 10, 4600},
    {PROCESSING_UNIT, UVC_PU_WHITE_BALANCE_TEMPERATURE_AUTO_CONTROL, 1, 0, 1, 1, 1},
};

void settings_init(struct settings *settings)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        settings->values[i] = table[i].usual;
}

static int find(unsigned unit, unsigned selector)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (table[i].unit == unit && table[i].selector == selector)
            return i;
    return -1;
}

int settings_handle(struct settings *settings, int gadget, const struct usb_ctrlrequest *request)
{
    int index = find(le16toh(request->wIndex) >> 8, le16toh(request->wValue) >> 8);
    if (index < 0)
        return 0;
    const struct setting *setting = &table[index];
    int32_t *value = &settings->values[index];
    uint8_t answer[4] = {0};
    size_t room = le16toh(request->wLength), length = setting->bytes;
    switch (request->bRequest) {
    case UVC_SET_CUR:
        if (gadget_take(gadget, answer, length) < 0)
            return 1;
        *value = (int32_t)get32(answer);
        if (length == 2)
            *value = setting->least < 0 ? (int16_t)*value : *value & 0xffff;
        return 1;
    case UVC_GET_LEN: set32(answer, (uint32_t)length); length = 2; break;
    case UVC_GET_INFO: answer[0] = 3; length = 1; break; /* GET and SET are supported */
    case UVC_GET_CUR: set32(answer, (uint32_t)*value); break;
    case UVC_GET_MIN: set32(answer, (uint32_t)setting->least); break;
    case UVC_GET_MAX: set32(answer, (uint32_t)setting->most); break;
    case UVC_GET_RES: set32(answer, (uint32_t)setting->step); break;
    case UVC_GET_DEF: set32(answer, (uint32_t)setting->usual); break;
    default: gadget_refuse(gadget); return 1;
    }
    gadget_answer(gadget, answer, length < room ? length : room);
    return 1;
}
