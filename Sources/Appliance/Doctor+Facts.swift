// SPDX-License-Identifier: GPL-3.0-or-later

package import Health
package import LinuxIO
package import Settings

extension Doctor {
    /// What there is to judge, beside what is looked for by name; a test has its own.
    package struct Facts: Sendable {
        /// What is plugged in.
        package var attached: [DeviceList.Device] = []
        package var sensors = BoardSensors()
        package var clockIsSynchronized = Clock.isSynchronized
        package var hasHardwareClock = Clock.hasHardwareClock
        /// Who has to be able to use the devices; `nil` for whoever asks.
        package var user: Account?

        /// Of a machine with nothing plugged in.
        package init() {}

        /// Opens each device once; none where the board is simulated.
        init(of board: BoardSettings.Kind) {
            if board == .simulated { return }
            attached = DeviceList.current()
            // Root may open everything, which says nothing of the service.
            if AccountDatabase.currentUser == 0 { user = Account(named: Self.serviceUser) }
        }

        /// As the unit and sysusers.d have it.
        private static let serviceUser = "vitrine"
    }
}
