// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The kernel's view of the network.
package enum NetworkRoutes {
    /// Whether a route leads to another machine (proc_net(5)).
    package static var hasRoute: Bool { hasRoute(in: "/proc/self/net") }

    package static func hasRoute(in folder: String) -> Bool {
        func lines(_ name: String) -> [[Substring]] {
            ((try? readSmallFile("\(folder)/\(name)")) ?? "").split(separator: "\n")
                .map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        }
        // The first line of the older file is a heading; its names are separated by tabs.
        let version4 = lines("route").dropFirst().contains { fields in
            fields.first?.hasPrefix("lo\t") == false
        }
        return version4
            || lines("ipv6_route").contains { fields in
                // Link-local and multicast addresses lead to no other network.
                guard let address = fields.first, fields.last != "lo" else { return false }
                return !address.hasPrefix("fe80") && !address.hasPrefix("ff")
            }
    }
}
