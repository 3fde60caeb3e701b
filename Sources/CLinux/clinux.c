/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linkat of temporary files, ucred and pthread names need _GNU_SOURCE. The header does not
 * define it, because that would change types that Swift sees through Glibc, too. */
#define _GNU_SOURCE
#include "clinux.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/vt.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int clinux_open(const char *path, int flags, uint32_t mode) { return open(path, flags, mode); }
int clinux_openat(int directory, const char *path, int flags, uint32_t mode) {
    return openat(directory, path, flags, mode);
}
int clinux_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

const uint32_t clinux_epoll_in = EPOLLIN;
const uint32_t clinux_epoll_out = EPOLLOUT;
const uint32_t clinux_epoll_priority = EPOLLPRI;
const uint32_t clinux_epoll_error = EPOLLERR;
const uint32_t clinux_epoll_hangup = EPOLLHUP;
const uint32_t clinux_epoll_edge = EPOLLET;

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data.u64 = tag};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int64_t clinux_epoll_wait_one(int epoll, int timeout_ms, uint64_t *tag) {
    struct epoll_event event;
    int count = epoll_wait(epoll, &event, 1, timeout_ms);
    if (count <= 0) return count;
    *tag = event.data.u64;
    return event.events;
}

int clinux_eventfd_signal(int descriptor) { return eventfd_write(descriptor, 1); }

int clinux_dmabuf_sync(int descriptor, uint64_t flags) {
    struct dma_buf_sync sync = {.flags = flags};
    return ioctl(descriptor, DMA_BUF_IOCTL_SYNC, &sync);
}
const uint64_t clinux_dmabuf_read = DMA_BUF_SYNC_READ;
const uint64_t clinux_dmabuf_write = DMA_BUF_SYNC_WRITE;
const uint64_t clinux_dmabuf_start = DMA_BUF_SYNC_START;
const uint64_t clinux_dmabuf_end = DMA_BUF_SYNC_END;

int clinux_heap_allocate(int heap, uint64_t size) {
    struct dma_heap_allocation_data request = {.len = size, .fd_flags = O_RDWR | O_CLOEXEC};
    return ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &request) ? -1 : (int)request.fd;
}

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }
int clinux_truncate(int descriptor, int64_t size) { return ftruncate(descriptor, size); }

int clinux_timer_arm(int timer, int64_t nanoseconds) {
    struct itimerspec time = {
        .it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

int clinux_name_this_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

/* Each thread has its own nice value on Linux, whatever POSIX says (setpriority(2), "C
 * library/kernel differences"). */
int clinux_nice_this_thread(int nice) { return setpriority(PRIO_PROCESS, 0, nice); }

int clinux_link_temporary(int descriptor, const char *path) {
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int clinux_is_mount_point(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT, 0, &status)) return -1;
    return !(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
           status.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

int clinux_syncfs(int descriptor) { return syncfs(descriptor); }

int clinux_peer(int descriptor, uint32_t *uid, uint32_t *gid, int32_t *pid) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length)) return -1;
    *uid = peer.uid;
    *gid = peer.gid;
    *pid = peer.pid;
    return 0;
}

int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity) {
    socklen_t length = capacity * sizeof *groups;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length)) return -1;
    return length / sizeof *groups;
}

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }
const int clinux_no_signal = MSG_NOSIGNAL;

int64_t clinux_send_files(int socket, const void *bytes, uint64_t count, const int *files, int number) {
    struct iovec part = {(void *)bytes, count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(clinux_most_files * sizeof *files)];
    } control = {0};
    if (number > clinux_most_files) {
        errno = E2BIG;
        return -1;
    }
    size_t size = (size_t)number * sizeof *files;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), files, size);
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int64_t clinux_receive(int socket, void *bytes, uint64_t count, int *files, int *number) {
    *number = 0;
    struct iovec part = {bytes, count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(clinux_most_files * sizeof *files)]; /* the kernel closes descriptors without room */
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof *files;
        for (size_t index = 0; index < found; index++) {
            int file;
            memcpy(&file, CMSG_DATA(header) + index * sizeof file, sizeof file);
            if (*number < clinux_most_files)
                files[(*number)++] = file;
            else
                close(file);
        }
    }
    return got;
}

static int limit(int descriptor, int option, int64_t milliseconds) {
    struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
    return setsockopt(descriptor, SOL_SOCKET, option, &limit, sizeof limit);
}

int clinux_limit_sending(int descriptor, int64_t milliseconds) {
    return limit(descriptor, SO_SNDTIMEO, milliseconds);
}

int clinux_limit_receiving(int descriptor, int64_t milliseconds) {
    return limit(descriptor, SO_RCVTIMEO, milliseconds);
}

static int address(const char *path, struct sockaddr_un *result) {
    memset(result, 0, sizeof *result);
    result->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof result->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(result->sun_path, path);
    return 0;
}

int clinux_unix_bind(int descriptor, const char *path) {
    struct sockaddr_un name;
    if (address(path, &name)) return -1;
    return bind(descriptor, (struct sockaddr *)&name, sizeof name);
}

int clinux_unix_connect(int descriptor, const char *path) {
    struct sockaddr_un name;
    if (address(path, &name)) return -1;
    return connect(descriptor, (struct sockaddr *)&name, sizeof name);
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
int64_t clinux_monotonic_ns(void) { return nanoseconds(CLOCK_MONOTONIC); }
int64_t clinux_boottime_ns(void) { return nanoseconds(CLOCK_BOOTTIME); }
int64_t clinux_realtime_ns(void) { return nanoseconds(CLOCK_REALTIME); }

const int clinux_unnamed_file = O_TMPFILE;
int clinux_reserve(int descriptor, int64_t offset, int64_t bytes) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, bytes);
}
int clinux_rename_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
int64_t clinux_copy_range(int from, int64_t offset, int to, uint64_t bytes) {
    off_t position = offset;
    return copy_file_range(from, &position, to, 0, bytes, 0);
}
int clinux_next_entry(void *directory, char name[256]) {
    struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(directory);
        if (!entry) return errno ? -1 : 0;
    } while (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    strcpy(name, entry->d_name);
    return 1;
}

int clinux_semaphore_wait(sem_t *semaphore, int64_t deadline_ns) {
    if (deadline_ns == INT64_MAX) return sem_wait(semaphore);
    struct timespec deadline = {
        .tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000};
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline);
}

int clinux_clock_synchronized(void) {
    struct timex state = {0};
    return adjtimex(&state) >= 0 && !(state.status & STA_UNSYNC);
}

int64_t clinux_utc_offset(int64_t seconds) {
    time_t time = seconds;
    struct tm local;
    return localtime_r(&time, &local) ? local.tm_gmtoff : 0;
}

int clinux_flush_output(void) {
    if (fflush(stdout))
        return -1;
    if (!ferror(stdout))
        return 0;
    errno = EIO; /* noticed while printing, when it could not be reported */
    return -1;
}

int clinux_terminal_size(int descriptor, int *columns, int *rows)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) < 0)
        return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int clinux_lock_consoles(int descriptor, int lock)
{
    return ioctl(descriptor, lock ? VT_LOCKSWITCH : VT_UNLOCKSWITCH, 1);
}

const char *clinux_open_library(const char *name, const char *package, const struct clinux_function *functions,
                                size_t count)
{
    static _Thread_local char reason[256];
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, sizeof reason, "%s; next: sudo apt install %s", dlerror(), package);
        return reason;
    }
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address) {
            snprintf(reason, sizeof reason, "%s lacks %s", name, functions[i].name);
            return reason;
        }
        *(void **)functions[i].pointer = address;
    }
    return NULL;
}
