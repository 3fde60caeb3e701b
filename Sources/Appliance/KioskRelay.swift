// SPDX-License-Identifier: GPL-3.0-or-later

internal import Kiosk
internal import Media
internal import Synchronization

/// Where callbacks that are made before the appliance exists find it afterwards.
final class KioskRelay: Sendable {
    private struct Ends {
        weak var appliance: Appliance?
        weak var kiosk: KioskRunner?
    }
    private let ends = Mutex(Ends())
    let scenes: AsyncStream<Scene>.Continuation
    let sceneStream: AsyncStream<Scene>
    /// In the order in which the buttons were pressed.
    let presses: AsyncStream<ControlEvent>.Continuation
    let pressStream: AsyncStream<ControlEvent>

    init() {
        // Only the newest scene is worth drawing.
        (sceneStream, scenes) = AsyncStream.makeStream(
            of: Scene.self, bufferingPolicy: .bufferingNewest(1))
        (pressStream, presses) = AsyncStream.makeStream(of: ControlEvent.self)
    }

    func connect(_ appliance: Appliance, _ kiosk: KioskRunner) {
        ends.withLock { $0 = Ends(appliance: appliance, kiosk: kiosk) }
    }

    var appliance: Appliance? { ends.withLock { $0.appliance } }
    var kiosk: KioskRunner? { ends.withLock { $0.kiosk } }
}
