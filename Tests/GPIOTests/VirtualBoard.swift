// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Whether this is the virtual board, where the kernel tests run and a missing device is a failure.
let isVirtualBoard = unsafe getenv("VITRINE_BOARD").map { unsafe String(cString: $0) } == "virt"
