// SPDX-License-Identifier: GPL-3.0-or-later
// freeze-thread PID NAME: stops a thread of that name in epoll_wait, or where it is about to call
// it, until this program or the process ends. It chooses the oldest thread that is not traced and
// does not wait in a futex, because the threads that an encoder starts inherit its thread's name.
// Says "frozen" when the thread has stopped.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_traced(const char *process, const char *thread) {
    char path[512], line[256];
    int tracer = 0;
    snprintf(path, sizeof path, "/proc/%s/task/%s/status", process, thread);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "TracerPid: %d", &tracer) == 1) break;
    fclose(file);
    return tracer != 0;
}

/* Threads of the encoder library wait for work in a futex, and never in epoll_wait. */
static int is_in_futex(const char *process, const char *thread) {
    char path[512];
    long call = -1;
    snprintf(path, sizeof path, "/proc/%s/task/%s/syscall", process, thread);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%ld", &call) != 1) call = -1;
    fclose(file);
    return call == SYS_futex;
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
            if (!strcmp(found, name) && (!thread || number < thread) && !is_traced(process, entry->d_name) &&
                !is_in_futex(process, entry->d_name))
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
    // The thread that is wanted may be waiting in a futex for a moment, too.
    for (int tries = 0; !thread && tries < 100; tries++, usleep(20000)) thread = thread_named(words[1], words[2]);
    if (!thread) {
        fprintf(stderr, "freeze-thread: process %s has no thread %s\n", words[1], words[2]);
        return 66;
    }
    if (ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) || ptrace(PTRACE_INTERRUPT, thread, 0, 0)) {
        perror("freeze-thread: ptrace");
        return 77;
    }
    // Anywhere else, the thread continues to its next system call.
    for (;;) {
        struct user_regs_struct registers;
        if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status) ||
            ptrace(PTRACE_GETREGS, thread, 0, &registers)) {
            perror("freeze-thread: ptrace");
            return 77;
        }
        long call = (long)registers.orig_rax;
        if (call == SYS_epoll_wait || call == SYS_epoll_pwait) break;
        // Stops of ptrace's own are not signals of the process.
        int is_own = status >> 16 || WSTOPSIG(status) == (SIGTRAP | 0x80);
        ptrace(PTRACE_SYSCALL, thread, 0, is_own ? 0 : WSTOPSIG(status));
    }
    puts("frozen");
    fflush(stdout);
    // Only the thread's end can come now.
    while (waitpid(thread, &status, __WALL) > 0 && WIFSTOPPED(status)) pause();
    return 0;
}
