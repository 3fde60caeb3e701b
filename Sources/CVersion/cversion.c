/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cversion.h"

const char *const cversion = VITRINE_VERSION;
