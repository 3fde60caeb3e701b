// SPDX-License-Identifier: GPL-3.0-or-later

internal import Controls
internal import Kiosk
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
    let readyLamp: AsyncStream<Bool>.Continuation
    let readyLampStream: AsyncStream<Bool>
    /// Only the newest counts.
    let recordingLamp: AsyncStream<Bool>.Continuation
    let recordingLampStream: AsyncStream<Bool>
    let movies: AsyncStream<MovieRecorder.Command>.Continuation
    let movieStream: AsyncStream<MovieRecorder.Command>
    /// Presses that go over to another camera.
    let cameras: AsyncStream<Void>.Continuation
    let cameraStream: AsyncStream<Void>
    /// Of presses that begin or end a timelapse, the sessions' names.
    let timelapses: AsyncStream<String>.Continuation
    let timelapseStream: AsyncStream<String>
    /// In the order in which they were recognised.
    let gestures: AsyncStream<GestureEvent>.Continuation
    let gestureStream: AsyncStream<GestureEvent>

    init() {
        // Only the newest scene is worth drawing.
        (sceneStream, scenes) = AsyncStream.makeStream(
            of: Scene.self, bufferingPolicy: .bufferingNewest(1))
        (readyLampStream, readyLamp) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        (recordingLampStream, recordingLamp) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        (movieStream, movies) = AsyncStream.makeStream(of: MovieRecorder.Command.self)
        (cameraStream, cameras) = AsyncStream.makeStream(of: Void.self)
        (timelapseStream, timelapses) = AsyncStream.makeStream(of: String.self)
        (gestureStream, gestures) = AsyncStream.makeStream(of: GestureEvent.self)
    }

    func connect(_ appliance: Appliance, _ kiosk: KioskRunner) {
        ends.withLock { $0 = Ends(appliance: appliance, kiosk: kiosk) }
    }

    var appliance: Appliance? { ends.withLock { $0.appliance } }
    var kiosk: KioskRunner? { ends.withLock { $0.kiosk } }
}
