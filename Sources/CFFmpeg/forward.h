/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What declares and forwards the functions of a library that is opened at run time. A list X of
 * functions has their results, names, parameters and arguments; one of procedures has no results.
 * Each file has its functions in a static `table`. */
#ifndef CFFMPEG_FORWARD_H
#define CFFMPEG_FORWARD_H

#include "clinux.h"

#define DECLARE(result, name, parameters, arguments) __typeof__(name) *name;
#define DECLARE_PROCEDURE(name, parameters, arguments) __typeof__(name) *name;

/* Hidden, so that the libraries find each other's functions and not these. */
#define HIDDEN __attribute__((visibility("hidden")))
#define FORWARD(result, name, parameters, arguments) \
    HIDDEN result name parameters { return table.name arguments; }
#define FORWARD_PROCEDURE(name, parameters, arguments) \
    HIDDEN void name parameters { table.name arguments; }

#define FIND(name) {#name, &table.name},
#define FIND_FUNCTION(result, name, parameters, arguments) FIND(name)
#define FIND_PROCEDURE(name, parameters, arguments) FIND(name)

/* Opens the library of the headers' major version, which is part of its package's name, too. */
#define OPEN(name, major, functions) \
    clinux_open_library("lib" name ".so." AV_STRINGIFY(major), "lib" name AV_STRINGIFY(major), functions, \
                        sizeof functions / sizeof *functions)

#endif
