/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clibcamera.h"

#include "clinux.h"
#include <stdio.h>
#include <string.h>

const struct clibcamera_functions *clibcamera_load(const char *path, const char *package, const char **reason) {
    static const struct clibcamera_functions *loaded;
    static _Thread_local char text[128];
    if (loaded) return loaded;
    const struct clibcamera_functions *(*entry)(void);
    const struct clinux_function functions[] = {{"vitrine_libcamera", &entry}};
    *reason = clinux_open_library(path, package, functions, 1);
    if (*reason) return NULL;
    *reason = text;
    const struct clibcamera_functions *found = entry();
    if (found->size != sizeof *found) {
        snprintf(text, sizeof text, "%s is of another version of Vitrine", path);
        return NULL;
    }
    int result = found->start();
    if (result < 0) {
        snprintf(text, sizeof text, "libcamera %s does not start: %s", found->version, strerror(-result));
        return NULL;
    }
    *reason = NULL;
    return loaded = found;
}
