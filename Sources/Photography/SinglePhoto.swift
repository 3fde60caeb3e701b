// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
public import CommandProtocol
package import Controls
internal import Devices
public import Library
internal import LibraryService
internal import LinuxIO
internal import Media
internal import Recording
public import Settings
internal import VitrineKit

/// Takes one photo where no appliance runs: configures a session, starts it, takes the photo, and
/// leaves everything as it was. ``Photographer`` takes the appliance's photos.
public struct SinglePhoto {
    /// The frames to skip, because a camera's first pictures are dark while it finds its exposure.
    private static let settlingFrames = 5
    private let board: Board
    private let version: String
    private var settings: Settings { board.settings }

    /// Opens nothing yet. The pictures' EXIF names the program's version.
    public init(_ settings: Settings, version: String) {
        self.init(settings, version: version, hardware: nil)
    }

    package init(_ settings: Settings, version: String, hardware: (any ControlHardware)?) {
        board = Board(settings: settings, hardware: hardware)
        self.version = version
    }

    /// Opens the devices with the caller's own rights, and returns the saved asset. Root then
    /// becomes the library's owner for good, so that the service can use everything that is made
    /// there. If there is no camera, nothing is made, and a ``CommandError`` with exit status 75 is
    /// thrown. `arguments` are those of the verb `capture.photo`; `warn` is called with what the
    /// photo lacks, for example the flash or the RAW.
    public func take(
        _ arguments: [String: JSONValue] = [:], warn: (String) -> Void
    ) async throws -> Asset {
        let usual = settings.photo.usual
        let photo = try CapturePhotoSettings(arguments, default: usual) ?? usual
        let session = try CaptureSession()
        let output = PhotoOutput()
        let flash = photo.flashMode == .off ? nil : board.flash
        defer { flash?.stop() }
        do {
            try await session.configure { [board] in try board.configure(&$0, photos: output) }
            let running = try await session.startRunning()
            try photo.requirePossible(arguments, by: running, flash)
            if let flash, flash.state == .missing { warn("no flash: \(flash.problem)") }
            _ = try OwnerIdentity(ofFolder: settings.library.path)
            let asset = try await shoot(running, output, flash, photo, warn)
            await session.close()
            return asset
        } catch {
            await session.close()
            throw Self.explained(error)
        }
    }

    private func shoot(
        _ running: RunningStream, _ output: PhotoOutput, _ flash: OutputLine?,
        _ photo: CapturePhotoSettings, _ warn: (String) -> Void
    ) async throws -> Asset {
        let library = try await AssetLibrary.open(
            at: settings.library.path, reserveMegabytes: settings.library.reserveMegabytes)
        do {
            let stream = running.stream
            let interval = stream.frameInterval > 0 ? stream.frameInterval : 33_333_333
            var moment = Clock.monotonic + interval * Int64(Self.settlingFrames)
            var limit: Task<Void, any Error>?
            defer { limit?.cancel() }
            if let flash {
                try await Task.sleep(for: .nanoseconds(moment - Clock.monotonic))
                flash.set(true)
                if photo.flashMode == .on, flash.litSince == nil {
                    throw PhotoError(.failed, "the flash does not light: \(flash.problem)")
                }
                moment = Clock.monotonic + Int64(settings.flash.leadMilliseconds) * 1_000_000
                let longest = Duration.milliseconds(settings.flash.maximumMilliseconds)
                limit = Task {
                    try await Task.sleep(for: longest)
                    flash.set(false)
                }
            }
            let frame = try await output.hold(moment, exposedAfter: flash?.litSince).frame()
            let turned = await board.orientationSampler?.rotation() ?? .none
            flash?.set(false)
            let processor = try PhotoProcessor(board.photoSettings(version: version))
            board.camera.runs(as: running.identity.name)
            await processor.setCamera(board.camera.label)
            let still = try await processor.finish(frame, as: photo, turned: turned)
            for warning in still.warnings { warn("photo without \(warning)") }
            let asset = try await library.add(
                FinishedPhoto(still, deviceName: board.captureInput.device.uniqueID))
            await library.close()
            return asset
        } catch {
            await library.close()
            throw error
        }
    }

    private static func explained(_ error: any Error) -> any Error {
        switch error {
        case let error as LibraryError: CommandError(error)
        case let error as CaptureError: CommandError(error)
        case let error as PhotoError:
            CommandError("photo.failed", "no photo: \(error)", exit: .temporary)
        default: error
        }
    }
}
