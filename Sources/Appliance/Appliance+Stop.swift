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
        await giveTime { [loops] in await loops.finish() }
        await timelapse.close()
        await giveTime { [movies, recording] in
            await movies.output.close()
            await recording?.value
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

    /// A clip on a disk that does not answer is given up: the next start finds what is on it.
    private func giveTime(_ end: @escaping @Sendable () async -> Void) async {
        _ = await firstAnswer(within: .seconds(20)) { answer in
            Task {
                await end()
                answer(true)
            }
        }
    }
}
