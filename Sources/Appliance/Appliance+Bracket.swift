// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import FoundationEssentials
internal import Imaging
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
internal import Settings

extension Appliance {
    /// Photos of other exposures, one burst, by command: not in the midst of what a guest does. What was set of the camera is
    /// set again afterwards.
    ///
    /// - Parameters:
    ///   - biases: EV, of each photo.
    ///   - photo: what each is to be; `nil` for what is configured. No flash is lit.
    func captureBracket(
        _ biases: [Double], _ photo: CapturePhotoSettings?
    ) async throws -> [Asset] {
        guard (2...9).contains(biases.count), biases.allSatisfy({ abs($0) <= 6 }) else {
            throw CommandError(
                "bracket.biases", "a bracket of \(biases)",
                next: "Give 2 to 9 numbers of -6 to 6 EV, such as -2,0,2.", exit: .usage)
        }
        if photo?.flashMode == .on {
            throw CommandError(
                "bracket.flash", "a bracket is taken without a flash", next: "Leave flash out.",
                exit: .usage)
        }
        if isBracketing { throw CommandError.busy("another bracket is being taken") }
        isBracketing = true
        defer { isBracketing = false }
        if await timelapse.isRunning { throw CommandError.busy("a timelapse is being taken") }
        let refusal = await kiosk.occupy("Photos of other exposures are being taken.")
        if let refusal { throw CommandError.busy(refusal) }
        let burst: Result<String, any Error>
        do {
            burst = .success(try await takeBracket(biases, photo))
        } catch {
            burst = .failure(error)
        }
        await kiosk.handle(.occupied(nil))
        return try await photos(ofBurst: burst.get())
    }

    /// The camera stands as before when this returns.
    ///
    /// - Returns: what its photos share.
    private func takeBracket(
        _ biases: [Double], _ photo: CapturePhotoSettings?
    ) async throws -> String {
        guard let running = await session.running else { throw CommandError.noCamera }
        let bracket: ExposureBracket
        do {
            bracket = try await tuner.bracket(running.identity, biases)
        } catch {
            throw CommandError(
                "camera.unsupported", "\(error)", next: "See: vitrine devices controls",
                exit: .unavailable)
        }
        let interval = max(running.stream.frameInterval, 16_666_667)
        let burst: Result<String, any Error>
        do {
            burst = .success(try await take(bracket, biases, photo, running, interval))
        } catch {
            burst = .failure(error)
        }
        do {
            try await tuner.giveBack(running.identity)
        } catch {
            log.error("exposure stays as it is", metadata: ["reason": "\(error)"])
        }
        let settling = bracket.settlingTimeAfterwards(frameInterval: interval)
        try? await Task.sleep(for: .nanoseconds(settling))
        return try burst.get()
    }

    private func take(
        _ bracket: ExposureBracket, _ biases: [Double], _ photo: CapturePhotoSettings?,
        _ running: RunningStream, _ interval: Int64
    ) async throws -> String {
        let store = LibraryPhotoStore(
            library: library, processor: processor, show: show, camera: board.camera)
        let (visit, burst) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        let nearest = biases.indices.min { abs(biases[$0]) < abs(biases[$1]) }
        let turned = await board.orientationSampler?.rotation() ?? .none
        let wanted = photo ?? board.settings.photo.usual
        for (index, exposure) in bracket.exposures.enumerated() {
            try await tuner.borrow(running.identity, exposure, before: bracket.before)
            let settling = bracket.settlingTime(index, frameInterval: interval)
            let frame = try await photoOutput.hold(Clock.monotonic + settling).frame()
            let still = try await processor.finish(frame, as: wanted, turned: turned)
            for warning in still.warnings {
                log.warning("photo without", metadata: ["reason": "\(warning)"])
            }
            // Whatever ends it, one of those that are there stands for it.
            let asset = try await store.save(
                still, session: visit, burst: burst, isFirst: index == 0)
            guard index == nearest, index > 0 else { continue }
            do {
                try await store.represent(asset, still)
            } catch {
                log.warning("burst", metadata: ["reason": "\(error)"])
            }
        }
        return burst
    }

    /// In their order.
    func photos(ofBurst burst: String) async throws -> [Asset] {
        try await library.opened().assets(
            FetchOptions(
                filter: AssetFilter.burstID == burst, includesHidden: true,
                includesAllBurstMembers: true),
            limit: Self.mostOfBurst)
    }

    /// Photos that one may have, at the most.
    static let mostOfBurst = 100
}
