/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libgcrypt, of which the message digests are used: they take the processor's own instructions for them. */
#ifndef CGCRYPT_H
#define CGCRYPT_H

#include <gcrypt.h>

/* As the library wants to be begun, once: gcry_control() is variadic. 0 when it is older than this header. */
static inline int cgcrypt_begin(void) {
    if (!gcry_check_version(GCRYPT_VERSION)) return 0;
    /* Nothing here is a secret: no memory is locked. */
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return 1;
}

#endif
