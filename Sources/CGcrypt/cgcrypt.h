/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libgcrypt, for message digests: it uses the processor's own instructions for them. */
#ifndef CGCRYPT_H
#define CGCRYPT_H

#include <gcrypt.h>

/* Initializes the library, once: gcry_control() is variadic. Returns 0 if the library is older
 * than this header. */
static inline int cgcrypt_begin(void) {
    if (!gcry_check_version(GCRYPT_VERSION)) return 0;
    /* Nothing here is a secret, so no memory is locked. */
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return 1;
}

#endif
