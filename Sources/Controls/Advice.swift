// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO

func advice(_ error: SystemCallError) -> String {
    let next: String
    switch error.code {
    case EACCES, EPERM:
        next = "give this user access to the device, usually by the group gpio or input"
    case EBUSY:
        next = "end the other program that uses it; gpioinfo and lsof name it"
    case ENOENT, ENODEV, ENXIO:
        next = "connect it, or correct the configuration: `vitrine devices` lists what is there"
    default:
        return "\(error)"
    }
    return "\(error); next: \(next)"
}
