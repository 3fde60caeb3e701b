# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks five descriptors, five threads or 16 MB of private memory when SIGUSR1 comes.

    leak.py descriptors|threads|memory

Says "ready" before and "leaked" afterwards: the control of what judges leaks.
"""
import os
import signal
import sys
import threading
import time

kept = []


def descriptors():
    kept.extend(os.dup(0) for _ in range(5))


def threads():
    for _ in range(5):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def memory():
    kept.append(b"x" * (16 << 20))


leak = {"descriptors": descriptors, "threads": threads, "memory": memory}[sys.argv[1]]
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print("ready", flush=True)
signal.sigwait({signal.SIGUSR1})
leak()
print("leaked", flush=True)
signal.pause()
