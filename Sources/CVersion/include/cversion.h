/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CVERSION_H
#define CVERSION_H

/* The version that Package.swift reads from board/debian/changelog. */
extern const char *const cversion;

#endif
