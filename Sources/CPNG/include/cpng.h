/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libpng for Swift. This shim exists because libpng reports errors by longjmp, which must not cross
 * Swift.
 */
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the ICC profile of a PNG file in memory (chunk iCCP), of at most `most` bytes. NULL if
 * the file has none or is no PNG file. The caller frees the profile with free(3).
 */
uint8_t *cpng_profile(const uint8_t *file, size_t size, size_t most, size_t *count);

#endif
