/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of glibc and the kernel that Swift cannot import, because they are variadic
 * functions or function-like macros, plus the few headers whose symbols Glibc's module map
 * leaves out. */
#ifndef CLINUX_H
#define CLINUX_H

#include <malloc.h>
#include <mntent.h>
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

/* EPOLLIN and its like are enum constants of another type than epoll_event.events. */
extern const uint32_t clinux_epoll_in;
extern const uint32_t clinux_epoll_out;
extern const uint32_t clinux_epoll_priority;
extern const uint32_t clinux_epoll_error;
extern const uint32_t clinux_epoll_hangup;
extern const uint32_t clinux_epoll_edge;

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag);
/* Waits for at most one event; returns its mask, 0 on timeout, or -1; the tag goes to *tag. */
int64_t clinux_epoll_wait_one(int epoll, int timeout_ms, uint64_t *tag);

int clinux_eventfd_signal(int descriptor);

/* DMA_BUF_IOCTL_SYNC takes its number from a function-like macro. */
int clinux_dmabuf_sync(int descriptor, uint64_t flags);
extern const uint64_t clinux_dmabuf_read;
extern const uint64_t clinux_dmabuf_write;
extern const uint64_t clinux_dmabuf_start;
extern const uint64_t clinux_dmabuf_end;

/* Returns a DMA-BUF from an open heap, or -1. */
int clinux_heap_allocate(int heap, uint64_t size);

/* memfd_create(2) needs _GNU_SOURCE. */
int clinux_pipe(int ends[2]); /* pipe2(2) needs _GNU_SOURCE */
int clinux_memory_file(const char *name);
int clinux_truncate(int descriptor, int64_t size);

/* Arms the timer (timerfd_settime(2)) once, at an absolute time. */
int clinux_timer_arm(int timer, int64_t nanoseconds);

int clinux_name_this_thread(const char *name);
int clinux_nice_this_thread(int nice);

/* Links an O_TMPFILE by linkat(2) through /proc/self/fd, which needs AT_SYMLINK_FOLLOW. */
int clinux_link_temporary(int descriptor, const char *path);

/* Returns 1 if a file system is mounted at the path, or if the kernel does not tell; 0 if not; -1
 * with errno. statx(2) needs _GNU_SOURCE. */
int clinux_is_mount_point(const char *path);

/* Writes a whole file system to its medium; syncfs(2) needs _GNU_SOURCE. */
int clinux_syncfs(int descriptor);

/* Reads the peer's credentials; struct ucred needs _GNU_SOURCE. */
int clinux_peer(int descriptor, uint32_t *uid, uint32_t *gid, int32_t *pid);
/* Reads the peer's supplementary groups (SO_PEERGROUPS); returns how many, or -1. */
int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity);
int clinux_accept(int listener); /* accept4(2) needs _GNU_SOURCE */
extern const int clinux_no_signal; /* MSG_NOSIGNAL */
/* These send and receive bytes with open files (sendmsg(2), recvmsg(2); SCM_RIGHTS in unix(7)), whose
 * headers are built by macros. They return the bytes sent or received, or -1. */
enum { clinux_most_files = 20 };
int64_t clinux_send_files(int socket, const void *bytes, uint64_t count, const int *files, int number);
/* `files` has room for the most files; more are closed. */
int64_t clinux_receive(int socket, void *bytes, uint64_t count, int *files, int *number);
/* SO_SNDTIMEO and SO_RCVTIMEO are macros of two numbers each, by the size of time_t. */
int clinux_limit_sending(int descriptor, int64_t milliseconds);
int clinux_limit_receiving(int descriptor, int64_t milliseconds);
/* These fill sun_path, a C array. They return -1 and ENAMETOOLONG if the path is too long. */
int clinux_unix_bind(int descriptor, const char *path);
int clinux_unix_connect(int descriptor, const char *path);

int64_t clinux_monotonic_ns(void);
int64_t clinux_boottime_ns(void);
int64_t clinux_realtime_ns(void);
/* Waits (sem_clockwait(3), which needs _GNU_SOURCE) until this time on CLOCK_MONOTONIC, or
 * forever if it is INT64_MAX. */
int clinux_semaphore_wait(sem_t *semaphore, int64_t deadline_ns);
/* Whether the kernel reports that something disciplines the wall clock (adjtimex(2)). */
int clinux_clock_synchronized(void);
/* Returns how many seconds local time is ahead of UTC at a time. */
int64_t clinux_utc_offset(int64_t seconds_since_1970);

/* Flushes stdout, a variable that Swift takes for shared state. Returns -1 with errno if output,
 * now or earlier, could not be written. */
int clinux_flush_output(void);
/* Forbids or allows switching virtual consoles by keyboard (VT_LOCKSWITCH, VT_UNLOCKSWITCH;
 * linux/vt.h). `descriptor` is any console; this needs CAP_SYS_TTY_CONFIG. */
int clinux_lock_consoles(int descriptor, int lock);
/* Reads the columns and rows of a terminal (ioctl_tty(2), TIOCGWINSZ). */
int clinux_terminal_size(int descriptor, int *columns, int *rows);

/* Durable files. O_TMPFILE, fallocate(2), renameat2(2) and copy_file_range(2) need _GNU_SOURCE;
 * FALLOC_FL_KEEP_SIZE and RENAME_NOREPLACE are in headers that Swift does not see. */
extern const int clinux_unnamed_file;
int clinux_reserve(int descriptor, int64_t offset, int64_t bytes);
int clinux_rename_new(const char *from, const char *to);
int64_t clinux_copy_range(int from, int64_t offset, int to, uint64_t bytes);
/* Reads the next entry's name, which readdir(3) has as a C array, into `name`: returns 1, 0 at
 * the end, or -1; skips "." and "..". */
int clinux_next_entry(void *directory, char name[256]);

/* A function of a library that is opened at run time, and the pointer to it. */
struct clinux_function {
    const char *name;
    void *pointer;
};
/* Opens a library for good and finds the functions. Returns NULL, or the reason with the Debian
 * package to install: a text for this thread until its next call. */
const char *clinux_open_library(const char *name, const char *package, const struct clinux_function *functions,
                                size_t count);

#endif
