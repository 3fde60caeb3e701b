/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cversion.h"

/* Package.swift defines it from the newest entry of board/debian/changelog. */
const char *const cversion = VITRINE_VERSION;
