// SPDX-License-Identifier: GPL-3.0-or-later

package import Devices
package import Health
package import LinuxIO
internal import Settings

extension Doctor {
    /// The facts to judge, except devices that are looked up by name. Tests have their own.
    package struct Facts: Sendable {
        package var attached: [DeviceList.Device] = []
        package var sensors = BoardSensors()
        package var clockIsSynchronized = Clock.isSynchronized
        package var hasHardwareClock = Clock.hasHardwareClock
        /// The user who has to be able to use the devices; `nil` for the current one.
        package var user: Account?

        /// The facts of a machine with no devices.
        package init() {}

        /// Opens each device once; none on a simulated board.
        init(of board: BoardSettings.Kind) {
            if board == .simulated { return }
            attached = DeviceList.current()
            // Root may open everything, which says nothing about the service.
            if AccountDatabase.currentUser == 0 { user = Account(named: Self.serviceUser) }
        }

        /// The user of the unit and of sysusers.d.
        private static let serviceUser = "vitrine"
    }
}
