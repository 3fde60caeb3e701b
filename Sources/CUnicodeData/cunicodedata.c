/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cunicodedata.h"

#include <stdint.h>

/* A package of ICU data without an entry, by the layout of ICU's ucmndata.h and udata.h. */
struct empty_data {
    uint16_t header_bytes;
    uint8_t magic[2];
    uint16_t info_bytes, reserved;
    uint8_t is_big_endian, charset, bytes_per_character, reserved_byte;
    uint8_t format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t entries;
};
#define EMPTY {32, {0xda, 0x27}, 20, 0, 0, 0, 2, 0, {'C', 'm', 'n', 'D'}, {1}, {0}, {0}, 0}

/* The versions of ICU that Swift 6.2 to 6.4 may bring. */
_Alignas(16) const struct empty_data icudt74_dat = EMPTY;
_Alignas(16) const struct empty_data icudt75_dat = EMPTY;
_Alignas(16) const struct empty_data icudt76_dat = EMPTY;
_Alignas(16) const struct empty_data icudt77_dat = EMPTY;
_Alignas(16) const struct empty_data icudt78_dat = EMPTY;
