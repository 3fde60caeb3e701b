// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import Controls
internal import Detection
internal import Display
internal import Health
internal import Kiosk
internal import LinuxIO
internal import Logging
internal import Recording

extension Appliance {
    /// Behind the kiosk's own limit, and within the unit's `TimeoutStopSec=`.
    private static let closingTime = Duration.seconds(30)

    /// Ends everything in the order in which frames flow: a countdown is taken back, and what was pressed for is
    /// taken and saved. What has no answer is given up as ever: by the camera's limit, and a minute after the
    /// library's last word.
    ///
    /// - Parameter forGood: whether the process ends with it, which systemd is told.
    public func stop(forGood: Bool = true) async {
        if isStopped { return }
        isStopped = true
        if forGood { ServiceManager.stopping() }
        log.notice(forGood ? "stopping" : "pausing for another configuration")
        await buttons.stop()
        relay.gestures.finish()
        await pressing?.value
        for waiter in verdictWaiters.values { waiter.resume(returning: nil) }
        verdictWaiters = [:]
        await kiosk.handle(.stopping)
        await kiosk.becameIdle()
        photographer.stop()
        relay.movies.finish()
        // A disk that does not answer is given up: the next start finds what is on it.
        _ = await firstAnswer(within: Self.closingTime) {
            [loops, timelapse, movies, recording] answer in
            Task {
                async let loop: Void = loops.finish()
                async let timelapse: Void = timelapse.close()
                await movies.output.close()
                await recording?.value
                _ = await (loop, timelapse)
                answer(true)
            }
        }
        await microphone?.close()
        await monitor?.stop()
        await session.close()
        await watcher?.output.close()
        await kiosk.stop()
        // Who waits for a photo is still told of it.
        await server.stop()
        await library.close()
        for task in tasks { task.cancel() }
        executor.wakeSleepers()
        showing.stopTrying()
        secondShowing.stopTrying()
        restoring?.cancel()
        listening?.cancel()
        await screen.close()
        await second?.screen.close()
        await lamps.stop()
        flash?.stop()
    }
}
