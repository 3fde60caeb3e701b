// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
public import Library
internal import LinuxIO
internal import Recording
public import Settings

/// One photo without an appliance: configures a session, starts it, shoots, and leaves everything as it
/// was.
public struct SinglePhoto {
    /// A camera's first pictures are dark while it finds its exposure.
    private static let settlingFrames = 5
    private let settings: Settings
    private let version: String

    /// Opens nothing yet. The program's `version` goes into the photo's EXIF (Software).
    public init(_ settings: Settings, version: String) {
        self.settings = settings
        self.version = version
    }

    /// Root takes it as the library's owner, as the service would, and stays so: nothing is made there
    /// that the service could not use.
    ///
    /// - Returns: the saved asset.
    /// - Throws: ``CommandError`` with exit status 75 without a camera.
    public func take() async throws -> Asset {
        let board = Board(settings: settings)
        let session = try CaptureSession()
        let output = PhotoOutput()
        do {
            _ = try OwnerIdentity(ofFolder: settings.library.path)
            try await session.configure { try board.configure(&$0, photos: output) }
            let asset = try await shoot(board, session, output)
            await session.close()
            return asset
        } catch {
            await session.close()
            throw Self.explained(error)
        }
    }

    private func shoot(
        _ board: Board, _ session: CaptureSession, _ output: PhotoOutput
    ) async throws -> Asset {
        let library = try await AssetLibrary.open(
            at: settings.library.path, reserveMegabytes: settings.library.reserveMegabytes)
        do {
            let running = try await session.startRunning()
            let stream = running.stream
            let interval = stream.frameInterval > 0 ? stream.frameInterval : 33_333_333
            let moment = Clock.monotonic + interval * Int64(Self.settlingFrames)
            let claims = FrameClaims(
                output, orientation: board.orientationSampler?.rotation, lifetime: .max)
            let held = claims.take(moment, exposedAfter: nil)
            let frame = try await held.claim.frame()
            let processor = try PhotoProcessor(board.photoSettings(version: version))
            await processor.setCameraName(running.identity.name)
            let still = try await processor.finish(frame, turned: held.rotation)
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

extension CommandError {
    /// Why no photo can be taken; with the error's own next step, where it names one.
    fileprivate init(_ error: CaptureError) {
        let problem = Explanation("\(error)")
        self.init(
            "camera.\(error.code.rawValue)", "no photo can be taken: \(problem.reason)",
            next: problem.next ?? "See: vitrine devices",
            exit: error.code == .notPermitted ? .notPermitted : .temporary)
    }
}
