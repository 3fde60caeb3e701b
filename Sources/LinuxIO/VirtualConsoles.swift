// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// The kernel's text consoles behind a kiosk's picture.
public enum VirtualConsoles {
    /// Forbids or allows switching between consoles, by keyboard or otherwise (console_ioctl(4),
    /// VT_LOCKSWITCH). Switching stays forbidden until any process allows it again. Returns `false`
    /// if the machine has no consoles; throws `EPERM` without `CAP_SYS_TTY_CONFIG`.
    @discardableResult
    public static func setLocked(_ isLocked: Bool) throws(SystemCallError) -> Bool {
        let path = "/dev/tty0"
        let console: OwnedDescriptor
        do {
            console = try OwnedDescriptor(open: path, flags: O_RDWR | O_NOCTTY)
        } catch {
            if [ENOENT, ENXIO, ENODEV].contains(error.code) { return false }
            throw error
        }
        let number = console.number
        try systemCall(isLocked ? "VT_LOCKSWITCH" : "VT_UNLOCKSWITCH", path) {
            clinux_lock_consoles(number, isLocked ? 1 : 0)
        }
        return true
    }
}
