/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exiv2 for Swift. Why this shim exists: Exiv2 is C++ with exceptions. It reads and writes what people say of pictures:
 * XMP (ISO 16684-1) and IPTC-IIM. Nothing here is for several threads at a time.
 */
#ifndef CEXIV2_H
#define CEXIV2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts are UTF-8, without NUL inside; what is not said is NULL, 0 or false. */
struct cexiv2_words {
    const char *caption;
    const char *const *keywords;
    size_t keyword_count;
    bool has_rating;
    /* 1 to 5; 0 is none. */
    int rating;
    /* When the picture was made, by ISO 8601, or what stands in its place. */
    const char *date;
    bool has_place;
    /* Degrees north and east. */
    double latitude, longitude;
    bool has_altitude;
    /* Metres. */
    double altitude;
};

/* What a file in memory says: JPEG, PNG, HEIF, AVIF, TIFF, or an XMP side-car. NULL without memory, and for what is none
 * of these. */
struct cexiv2_words *cexiv2_read(const uint8_t *file, size_t size);
void cexiv2_free_words(struct cexiv2_words *words);

/*
 * The same file with other words, all else as it was: `file` is a JPEG, a PNG, or an XMP side-car; of no bytes a new
 * side-car is made. A caption, keywords or rating that is not said is taken away; a date and place that are not said stay.
 * IPTC-IIM is changed where there is some already. NULL where it cannot be done, with the reason in `reason`. The caller
 * frees what is returned with free(3).
 */
uint8_t *cexiv2_write(
    const uint8_t *file, size_t size, const struct cexiv2_words *words, size_t *count, char *reason, size_t room);

#ifdef __cplusplus
}
#endif

#endif
