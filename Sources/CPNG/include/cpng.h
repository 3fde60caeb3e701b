/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libpng for Swift. Why this shim exists: libpng reports errors by longjmp, which must not cross Swift.
 */
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

/*
 * The ICC profile of a PNG file in memory (chunk iCCP), up to `most` bytes. NULL without one, and for what is no PNG
 * file. The caller frees it with free(3).
 */
uint8_t *cpng_profile(const uint8_t *file, size_t size, size_t most, size_t *count);

#endif
