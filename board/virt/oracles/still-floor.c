/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * still-floor FRAME WIDTH HEIGHT FOLDER: measures the least time that one thread needs from a
 * photo's frame to the disk.
 *
 * An XRGB8888 frame becomes a JPEG of quality 90 (libjpeg-turbo, 4:2:0), a synchronized file in a
 * folder that is synchronized after it, and one row of a WAL database with synchronous=FULL. For
 * each line that it reads, it makes one photo and answers with a line: the milliseconds of the
 * JPEG, the file, the folder and the row. A yardstick for `bench still`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <turbojpeg.h>
#include <unistd.h>

static void check(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void write_file(const char *path, const unsigned char *bytes, size_t count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0640);
    check(file >= 0 && write(file, bytes, count) == (ssize_t)count && !fsync(file) && !close(file), path);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: still-floor FRAME WIDTH HEIGHT FOLDER\n");
        return 64;
    }
    int width = atoi(argv[2]), height = atoi(argv[3]);
    size_t bytes = (size_t)width * height * 4;
    unsigned char *frame = malloc(bytes);
    FILE *source = fopen(argv[1], "rb");
    check(source && frame && fread(frame, 1, bytes, source) == bytes, argv[1]);

    char path[4096];
    sqlite3 *database;
    sqlite3_stmt *insert;
    snprintf(path, sizeof path, "%s/bare.sqlite", argv[4]);
    check(sqlite3_open(path, &database) == SQLITE_OK
              && sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                              "CREATE TABLE IF NOT EXISTS photo (path TEXT PRIMARY KEY, bytes INTEGER)", 0, 0, 0)
                  == SQLITE_OK
              && sqlite3_prepare_v2(database, "INSERT INTO photo VALUES (?, ?)", -1, &insert, 0) == SQLITE_OK,
          path);
    int folder = open(argv[4], O_RDONLY | O_DIRECTORY);
    check(folder >= 0, argv[4]);
    tjhandle encoder = tjInitCompress();
    unsigned char *jpeg = 0;
    unsigned long size = 0;

    char line[16];
    for (int number = 0; fgets(line, sizeof line, stdin); number++) {
        double start = now();
        check(!tjCompress2(encoder, frame, width, 0, height, TJPF_BGRX, &jpeg, &size, TJSAMP_420, 90, 0), "JPEG");
        double encoded = now();
        snprintf(path, sizeof path, "%s/%d-%d.jpg", argv[4], getpid(), number);
        write_file(path, jpeg, size);
        double written = now();
        check(!fsync(folder), argv[4]);
        double named = now();
        sqlite3_bind_text(insert, 1, path, -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, (sqlite3_int64)size);
        check(sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK, "INSERT");
        double end = now();
        printf("%.3f %.3f %.3f %.3f\n", encoded - start, written - encoded, named - written, end - named);
        fflush(stdout);
    }
    return 0;
}
