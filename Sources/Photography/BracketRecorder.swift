// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
package import Devices
internal import FoundationEssentials
internal import Imaging
package import Kiosk
package import Library
package import LibraryService
internal import LinuxIO
internal import Logging
package import Media
package import Recording
internal import Settings

/// Takes exposure brackets: photos with different exposures that form one burst. Afterwards the
/// camera's controls are as before.
package struct BracketRecorder: Sendable {
    package static let mostOfBurst = 100

    let camera: CameraSupervisor
    let board: Board
    let kiosk: KioskRunner
    let timelapse: TimelapseRecorder
    let photos: PhotoOutput
    let processor: PhotoProcessor
    let store: any PhotoStore
    let library: LibrarySupervisor
    private let log = Logger(label: "photo")

    package init(
        _ camera: CameraSupervisor, _ board: Board, _ kiosk: KioskRunner,
        _ timelapse: TimelapseRecorder, _ photos: PhotoOutput, _ processor: PhotoProcessor,
        _ store: any PhotoStore, _ library: LibrarySupervisor
    ) {
        self.camera = camera
        self.board = board
        self.kiosk = kiosk
        self.timelapse = timelapse
        self.photos = photos
        self.processor = processor
        self.store = store
        self.library = library
    }

    /// Takes a bracket by command, not while a guest is taking something. Returns the photos in
    /// order; no flash is lit. `biases` are in EV; `photo` is the wanted format, `nil` for the
    /// configured one.
    package func take(
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
        guard camera.beginBracket() else {
            throw CommandError.busy("another bracket is being taken")
        }
        defer { camera.endBracket() }
        if await timelapse.isRunning { throw CommandError.busy("a timelapse is being taken") }
        let refusal = await kiosk.occupy("Photos of other exposures are being taken.")
        if let refusal { throw CommandError.busy(refusal) }
        let burst: Result<String, any Error>
        do {
            burst = .success(try await overrideExposure(biases, photo))
        } catch {
            burst = .failure(error)
        }
        await kiosk.handle(.occupied(nil))
        return try await assets(ofBurst: burst.get())
    }

    /// Returns a burst's photos in their order.
    package func assets(ofBurst burst: String) async throws -> [Asset] {
        try await library.opened().assets(
            FetchOptions(
                filter: AssetFilter.burstID == burst, includesHidden: true,
                includesAllBurstMembers: true),
            limit: Self.mostOfBurst)
    }

    /// Takes the photos, restores the camera's controls, and returns the burst's id.
    private func overrideExposure(
        _ biases: [Double], _ photo: CapturePhotoSettings?
    ) async throws -> String {
        guard let running = await camera.session.running else { throw CommandError.noCamera }
        let bracket: ExposureBracket
        do {
            bracket = try await camera.controls.bracket(running.identity, biases)
        } catch {
            throw CommandError(
                "camera.unsupported", "\(error)", next: "See: vitrine devices controls",
                exit: .unavailable)
        }
        let interval = max(running.stream.frameInterval, 16_666_667)
        let burst: Result<String, any Error>
        do {
            burst = .success(try await takePhotos(bracket, biases, photo, running, interval))
        } catch {
            burst = .failure(error)
        }
        do {
            try await camera.controls.endOverride(running.identity)
        } catch {
            log.error("exposure stays as it is", metadata: ["reason": "\(error)"])
        }
        let settling = bracket.settlingTimeAfterwards(frameInterval: interval)
        try? await Task.sleep(for: .nanoseconds(settling))
        return try burst.get()
    }

    private func takePhotos(
        _ bracket: ExposureBracket, _ biases: [Double], _ photo: CapturePhotoSettings?,
        _ running: RunningStream, _ interval: Int64
    ) async throws -> String {
        let (visit, burst) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        let nearest = biases.indices.min { abs(biases[$0]) < abs(biases[$1]) }
        let turned = await board.orientationSampler?.rotation() ?? .none
        let wanted = photo ?? board.settings.photo.usual
        for (index, exposure) in bracket.exposures.enumerated() {
            try await camera.controls.beginOverride(
                running.identity, exposure, before: bracket.before)
            let settling = bracket.settlingTime(index, frameInterval: interval)
            let frame = try await photos.hold(Clock.monotonic + settling).frame()
            let still = try await processor.finish(frame, as: wanted, turned: turned)
            for warning in still.warnings {
                log.warning("photo without", metadata: ["reason": "\(warning)"])
            }
            // Whenever the bracket ends, one of its photos represents it.
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
}
