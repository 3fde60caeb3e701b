/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What glibc and the kernel offer as variadic functions or function-like macros, which Swift cannot
 * import, plus the few headers whose symbols Glibc's module map leaves out. */
#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/statvfs.h>

/* open(2), openat(2) and fcntl(2) are variadic. */
int clinux_open(const char *path, int flags, uint32_t mode);
int clinux_openat(int directory, const char *path, int flags, uint32_t mode);
int clinux_duplicate(int descriptor);

/* EPOLLIN … are enum constants of another type than epoll_event.events. */
extern const uint32_t clinux_epoll_in;
extern const uint32_t clinux_epoll_priority;
extern const uint32_t clinux_epoll_error;
extern const uint32_t clinux_epoll_hangup;
extern const uint32_t clinux_epoll_edge;

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag);
/* Waits for at most one event: its mask, 0 on timeout, or -1; the tag goes to *tag. */
int64_t clinux_epoll_wait_one(int epoll, int timeout_ms, uint64_t *tag);

int clinux_eventfd_signal(int descriptor);

/* DMA_BUF_IOCTL_SYNC takes its number from a function-like macro. */
int clinux_dmabuf_sync(int descriptor, uint64_t flags);
extern const uint64_t clinux_dmabuf_read;
extern const uint64_t clinux_dmabuf_write;
extern const uint64_t clinux_dmabuf_start;
extern const uint64_t clinux_dmabuf_end;

int clinux_name_this_thread(const char *name);

/* linkat(2) of an O_TMPFILE through /proc/self/fd, which needs AT_SYMLINK_FOLLOW. */
int clinux_link_temporary(int descriptor, const char *path);

/* struct ucred is hidden behind _GNU_SOURCE. */
int clinux_peer(int descriptor, uint32_t *uid, uint32_t *gid, int32_t *pid);
/* sun_path is a C array: filled here. Returns -1 and ENAMETOOLONG when the path is too long. */
int clinux_unix_bind(int descriptor, const char *path);
int clinux_unix_connect(int descriptor, const char *path);

int64_t clinux_monotonic_ns(void);
int64_t clinux_boottime_ns(void);
int64_t clinux_realtime_ns(void);

#endif
