/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exiv2 for Swift. This shim exists because Exiv2 is C++ with exceptions. It reads and writes what
 * people say about pictures: XMP (ISO 16684-1) and IPTC-IIM. Only one thread may use it at a time.
 */
#ifndef CEXIV2_H
#define CEXIV2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts are UTF-8, without NUL inside; an absent value is NULL, 0 or false. */
struct cexiv2_words {
    const char *caption;
    const char *const *keywords;
    size_t keyword_count;
    bool has_rating;
    /* 1 to 5; 0 means none. */
    int rating;
    /* When the picture was made, by ISO 8601, or whatever the file has in its place. */
    const char *date;
    bool has_place;
    /* Degrees north and east. */
    double latitude, longitude;
    bool has_altitude;
    /* Metres. */
    double altitude;
};

/* Reads the words of a file in memory: JPEG, PNG, HEIF, AVIF, TIFF, or an XMP side-car. NULL if
 * memory is short or the file is none of these. */
struct cexiv2_words *cexiv2_read(const uint8_t *file, size_t size);
void cexiv2_free_words(struct cexiv2_words *words);

/*
 * Returns the file with other words, everything else as it was. `file` is a JPEG, a PNG, or an XMP
 * side-car; a new side-car is made if it is empty. An absent caption, keywords or rating is
 * removed; an absent date or place stays. IPTC-IIM is changed if the file has some already. NULL on
 * failure, with the reason in `reason`. The caller frees the result with free(3).
 */
uint8_t *cexiv2_write(
    const uint8_t *file, size_t size, const struct cexiv2_words *words, size_t *count, char *reason, size_t room);

#ifdef __cplusplus
}
#endif

#endif
