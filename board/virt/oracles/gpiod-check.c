// SPDX-License-Identifier: GPL-3.0-or-later
// gpiod-check: checks the product's own GPIO shim (Sources/CGPIO) with a libgpiod that the product
// itself is not linked with here.
//
//     gpiod-check CHIP lines              each line's number, name, user
//     gpiod-check CHIP edges LINE COUNT   so many edges, as JSON with the kernel's times, or the
//                                         error's number if the line goes away
//     gpiod-check CHIP set LINE           sets it to 1, and to 0 when standard input has a line
//
// LINE is a number. Says "ready" on stderr when it waits.
#include "cgpio.h"

#include <errno.h>
#include <gpiod.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GPIOD_LINE_BULK_MAX_LINES
#error this is to be built with libgpiod 2
#endif

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 1;
}

static int lines(const char *path) {
    struct cgpio_chip_info chip;
    struct gpiod_chip *open = cgpio_open(path);
    if (!open || cgpio_chip_info(open, &chip) < 0) return failed(path);
    printf("%s %u lines, libgpiod %s\n", chip.label, chip.lines, gpiod_api_version());
    for (uint32_t offset = 0; offset < chip.lines; offset++) {
        struct cgpio_line_info line;
        if (cgpio_line_info(open, offset, &line) < 0) return failed("line");
        printf("%u \"%s\" \"%s\" %d\n", offset, line.name, line.consumer, line.used);
    }
    cgpio_close(open);
    return 0;
}

static int edges(const char *path, uint32_t line, int wanted) {
    struct cgpio_request request = {0}, second = {0};
    struct cgpio_edge got[cgpio_batch];
    if (cgpio_request_input(path, line, "gpiod-check", cgpio_bias_pull_down, 0, &request) < 0)
        return failed("request");
    if (cgpio_request_input(path, line, "again", cgpio_bias_as_is, 0, &second) == 0 || errno != EBUSY)
        return failed("a line was given twice");
    if (cgpio_read_edges(&request, got) != -1 || errno != EAGAIN) return failed("reading without edges");
    fprintf(stderr, "ready\n");
    for (int seen = 0; seen < wanted;) {
        struct pollfd wait = {.fd = request.fd, .events = POLLIN};
        if (poll(&wait, 1, 60000) != 1) return failed("poll");
        int count = cgpio_read_edges(&request, got);
        if (count < 0) {
            printf("error %d\n", errno);
            break;
        }
        for (int i = 0; i < count; i++, seen++)
            printf("{\"pressed\": %s, \"nanoseconds\": %lld}\n", got[i].rising ? "true" : "false",
                   (long long)got[i].timestamp_ns);
        // The present level is that of the last edge, unless another edge has come since.
        if (seen == wanted && cgpio_get_value(&request) != got[count - 1].rising) return failed("level");
    }
    cgpio_release(&request);
    return 0;
}

static int set(const char *path, uint32_t line) {
    struct cgpio_request request = {0};
    if (cgpio_request_output(path, line, "gpiod-check", 0, 0, &request) < 0) return failed("request");
    if (cgpio_set_value(&request, 1) < 0) return failed("set");
    fprintf(stderr, "ready\n");
    (void)getchar();
    if (cgpio_set_value(&request, 0) < 0) return failed("set");
    cgpio_release(&request);
    return 0;
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 3 && !strcmp(words[2], "lines")) return lines(words[1]);
    if (count == 5 && !strcmp(words[2], "edges")) return edges(words[1], atoi(words[3]), atoi(words[4]));
    if (count == 4 && !strcmp(words[2], "set")) return set(words[1], atoi(words[3]));
    fprintf(stderr, "gpiod-check CHIP lines | edges LINE COUNT | set LINE\n");
    return 64;
}
