/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What glibc and the kernel offer as variadic functions or function-like macros, which Swift cannot
 * import, plus the few headers whose symbols Glibc's module map leaves out. */
#ifndef CLINUX_H
#define CLINUX_H

#include <malloc.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>

/* open(2), openat(2) and fcntl(2) are variadic. */
int clinux_open(const char *path, int flags, uint32_t mode);
int clinux_openat(int directory, const char *path, int flags, uint32_t mode);
int clinux_duplicate(int descriptor);

/* EPOLLIN … are enum constants of another type than epoll_event.events. */
extern const uint32_t clinux_epoll_in;
extern const uint32_t clinux_epoll_out;
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

/* A DMA-BUF from an open heap, or -1. */
int clinux_heap_allocate(int heap, uint64_t size);

/* memfd_create(2) is GNU. */
int clinux_pipe(int ends[2]); /* pipe2(2) is GNU */
int clinux_memory_file(const char *name);
int clinux_truncate(int descriptor, int64_t size);

/* timerfd_settime(2) once, at an absolute time. */
int clinux_timer_arm(int timer, int64_t nanoseconds);

int clinux_name_this_thread(const char *name);
int clinux_nice_this_thread(int nice);

/* linkat(2) of an O_TMPFILE through /proc/self/fd, which needs AT_SYMLINK_FOLLOW. */
int clinux_link_temporary(int descriptor, const char *path);

/* Whether a table like fstab(5) has a file system for the path, or for a folder above it, that is not
 * mounted; the first one's folder goes to place. Memory counts for nothing. A table that cannot be read has
 * none. */
int clinux_missing_mount(const char *table, const char *path, char *place, size_t capacity);

/* struct ucred is hidden behind _GNU_SOURCE. */
int clinux_peer(int descriptor, uint32_t *uid, uint32_t *gid, int32_t *pid);
/* The peer's supplementary groups (SO_PEERGROUPS); how many, or -1. */
int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity);
int clinux_accept(int listener); /* accept4(2) is GNU */
extern const int clinux_no_signal; /* MSG_NOSIGNAL */
/* sendmsg(2) and recvmsg(2) with one open file (SCM_RIGHTS, unix(7)), whose headers are put together by macros.
 * The bytes sent or received, or -1. */
int64_t clinux_send_file(int socket, const void *bytes, uint64_t count, int file);
/* *file is -1 where none came; of several all but the last are closed. */
int64_t clinux_receive(int socket, void *bytes, uint64_t count, int *file);
/* SO_SNDTIMEO and SO_RCVTIMEO are macros of two numbers, by the size of time_t. */
int clinux_limit_sending(int descriptor, int64_t milliseconds);
int clinux_limit_receiving(int descriptor, int64_t milliseconds);
/* sun_path is a C array: filled here. Returns -1 and ENAMETOOLONG when the path is too long. */
int clinux_unix_bind(int descriptor, const char *path);
int clinux_unix_connect(int descriptor, const char *path);

int64_t clinux_monotonic_ns(void);
int64_t clinux_boottime_ns(void);
int64_t clinux_realtime_ns(void);
/* sem_clockwait(3) until then on CLOCK_MONOTONIC, which is GNU; forever where it is INT64_MAX. */
int clinux_semaphore_wait(sem_t *semaphore, int64_t deadline_ns);
/* Whether the kernel says that something disciplines the wall clock (adjtimex(2)). */
int clinux_clock_synchronized(void);
/* Seconds that local time is ahead of UTC at a time. */
int64_t clinux_utc_offset(int64_t seconds_since_1970);

/* stdout is a variable, which Swift takes for shared state. -1 with errno when what was printed, now or
 * earlier, could not be written. */
int clinux_flush_output(void);
/* Forbids or allows switching virtual consoles by keyboard (VT_LOCKSWITCH, VT_UNLOCKSWITCH; linux/vt.h).
 * `descriptor` is any console; needs CAP_SYS_TTY_CONFIG. */
int clinux_lock_consoles(int descriptor, int lock);
/* Columns and rows of a terminal (ioctl_tty(2), TIOCGWINSZ). */
int clinux_terminal_size(int descriptor, int *columns, int *rows);

/* Durable files. O_TMPFILE, fallocate(2), renameat2(2) and copy_file_range(2) are GNU; FALLOC_FL_KEEP_SIZE
 * and RENAME_NOREPLACE live in headers Swift does not see. */
extern const int clinux_unnamed_file;
int clinux_reserve(int descriptor, int64_t offset, int64_t bytes);
int clinux_rename_new(const char *from, const char *to);
int64_t clinux_copy_range(int from, int64_t offset, int to, uint64_t bytes);
/* readdir(3) returns names as a C array. Fills `name`: 1, 0 at the end, or -1; skips "." and "..". */
int clinux_next_entry(void *directory, char name[256]);

#endif
