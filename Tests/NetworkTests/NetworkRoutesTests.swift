// SPDX-License-Identifier: GPL-3.0-or-later

import Network
import TestSupport
import Testing

@Suite("Network routes")
struct NetworkRoutesTests {
    private static let heading = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"
    private static let ownAddresses = """
        00000000000000000000000000000001 80 00000000000000000000000000000000 00 \
        00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo
        fe800000000000000000000000000000 40 00000000000000000000000000000000 00 \
        00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
        ff000000000000000000000000000000 08 00000000000000000000000000000000 00 \
        00000000000000000000000000000000 00000100 00000003 00000000 00000001     eth0

        """

    private func hasRoute(_ version4: String, _ version6: String) throws -> Bool {
        let folder = try TemporaryFolder()
        try folder.write((Self.heading + version4).utf8, to: "route")
        try folder.write((Self.ownAddresses + version6).utf8, to: "ipv6_route")
        return NetworkRoutes.hasRoute(in: folder.path)
    }

    @Test("a machine's own addresses lead nowhere; a route of either version does")
    func routes() throws {
        #expect(try !hasRoute("", ""))
        #expect(try !hasRoute("lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\n", ""))
        #expect(try hasRoute("eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n", ""))
        #expect(
            try hasRoute(
                "",
                """
                20010db8000000000000000000000000 40 00000000000000000000000000000000 00 \
                00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0

                """))
        #expect(!NetworkRoutes.hasRoute(in: "/nowhere"))
    }
}
