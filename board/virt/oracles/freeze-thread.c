// SPDX-License-Identifier: GPL-3.0-or-later
// freeze-thread PID NAME: stops the newest thread of that name that is met in epoll_wait, and no other, until this
// program ends or the process does. (Those that an encoder starts bear its thread's name, and never wait there.) Says "frozen" when it stands still.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static int waits_in_epoll(const char *process, const char *thread) {
    char path[512];
    long call = -1;
    snprintf(path, sizeof path, "/proc/%s/task/%s/syscall", process, thread);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%ld", &call) != 1) call = -1;
    fclose(file);
    return call == SYS_epoll_wait || call == SYS_epoll_pwait;
}

static int thread_named(const char *process, const char *name) {
    char path[512], found[64];
    snprintf(path, sizeof path, "/proc/%s/task", process);
    DIR *threads = opendir(path);
    if (!threads) return 0;
    int thread = 0;
    for (struct dirent *entry; (entry = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%s/task/%s/comm", process, entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        if (fgets(found, sizeof found, file)) {
            found[strcspn(found, "\n")] = 0;
            int number = atoi(entry->d_name);
            if (!strcmp(found, name) && number > thread && waits_in_epoll(process, entry->d_name))
                thread = number;
        }
        fclose(file);
    }
    closedir(threads);
    return thread;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: freeze-thread PID NAME\n");
        return 64;
    }
    int thread = 0, status;
    for (int tries = 0; !thread && tries < 10000; tries++) {
        thread = thread_named(words[1], words[2]);
        if (!thread) usleep(1000);
    }
    if (!thread) {
        fprintf(stderr, "freeze-thread: process %s has no thread %s that waits\n", words[1], words[2]);
        return 66;
    }
    if (ptrace(PTRACE_SEIZE, thread, 0, 0)) {
        perror("freeze-thread: ptrace");
        return 77;
    }
    // Wherever else it was met, it goes on a little.
    for (;;) {
        struct user_regs_struct registers;
        if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) || waitpid(thread, &status, __WALL) != thread ||
            ptrace(PTRACE_GETREGS, thread, 0, &registers)) {
            perror("freeze-thread: ptrace");
            return 77;
        }
        long call = (long)registers.orig_rax;
        if (call == SYS_epoll_wait || call == SYS_epoll_pwait) break;
        ptrace(PTRACE_CONT, thread, 0, 0);
        usleep(1000);
    }
    puts("frozen");
    fflush(stdout);
    // Only its end can come now.
    while (waitpid(thread, &status, __WALL) > 0 && WIFSTOPPED(status)) pause();
    return 0;
}
