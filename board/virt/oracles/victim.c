/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "victim.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static int crtcs_of(int card)
{
    drmModeRes *resources = drmModeGetResources(card);
    int count = resources ? resources->count_crtcs : 0;
    drmModeFreeResources(resources);
    return count;
}

/* Whether the descriptor sees only a part of its card, which was leased to it. */
static int is_leased(int copy, const char *card_path)
{
    int whole = open(card_path, O_RDWR | O_CLOEXEC);
    int is_part = whole >= 0 && crtcs_of(copy) < crtcs_of(whole);
    close(whole);
    return is_part;
}

int victim_master(pid_t pid, const char *card_path, int *was_free)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    DIR *descriptors = opendir(folder);
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (!descriptors || process < 0) {
        fprintf(stderr, "cannot look into process %d; next: is it running, are you root?\n", pid);
        if (descriptors)
            closedir(descriptors);
        return -1;
    }
    int master = -1;
    *was_free = 0;
    for (struct dirent *entry; master < 0 && (entry = readdir(descriptors));) {
        char link[320], target[256] = "";
        snprintf(link, sizeof link, "%s/%s", folder, entry->d_name);
        if (readlink(link, target, sizeof target - 1) < 0 || strcmp(target, card_path))
            continue;
        int copy = (int)syscall(SYS_pidfd_getfd, process, atoi(entry->d_name), 0);
        if (copy >= 0 && !is_leased(copy, card_path) && (drmIsMaster(copy) || (*was_free = !drmSetMaster(copy))))
            master = copy;
        else if (copy >= 0)
            close(copy);
    }
    closedir(descriptors);
    close(process);
    if (master < 0)
        fprintf(stderr, "process %d is not master of %s\n", pid, card_path);
    return master;
}

static char state_of(pid_t pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = 0;
    fclose(file);
    char *name_end = strrchr(line, ')');
    return name_end && name_end[1] ? name_end[2] : 0;
}

int victim_pause(pid_t pid)
{
    if (kill(pid, SIGSTOP)) {
        perror("pause process");
        return -1;
    }
    for (int tries = 0; tries < 1000; tries++) {
        if (state_of(pid) == 'T')
            return 0;
        usleep(1000);
    }
    fprintf(stderr, "process %d does not stop\n", pid);
    victim_resume(pid);
    return -1;
}

void victim_resume(pid_t pid)
{
    kill(pid, SIGCONT);
}
