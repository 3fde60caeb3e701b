// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording

/// Owns the library while the appliance runs: opens it, as often as it takes, and tells when it cannot
/// be used.
actor LibraryKeeper {
    /// What keeps photos from being kept; `nil` when nothing does.
    struct Problem: Sendable, Equatable {
        let code: String
        let message: String
    }

    private static let retrySeconds = 2.0
    private let path: String
    private let reserveMegabytes: Int
    private let report: @Sendable (Problem?) async -> Void
    private let log = Logger(label: "library")
    private var library: AssetLibrary?
    private var opening: Task<Void, Never>?

    init(
        path: String, reserveMegabytes: Int, report: @escaping @Sendable (Problem?) async -> Void
    ) {
        self.path = path
        self.reserveMegabytes = reserveMegabytes
        self.report = report
    }

    /// Opens the library, now or as soon as it can be.
    func start() async {
        if await open() { return }
        opening = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(Self.retrySeconds))
                if await open() { return }
            }
        }
    }

    private func open() async -> Bool {
        do {
            let library = try await AssetLibrary.open(
                at: path, reserveMegabytes: reserveMegabytes)
            self.library = library
            let recovery = library.recovery
            if !recovery.adopted.isEmpty {
                log.notice("photos recovered", metadata: ["count": "\(recovery.adopted.count)"])
            }
            await reportState()
            return true
        } catch {
            await report(Problem(code: Self.problemCode(error), message: error.message))
            return false
        }
    }

    private static func problemCode(_ error: LibraryError) -> String {
        switch error.code {
        case .busy: "library.busy"
        case .full: "library.full"
        case .readOnly: "library.readonly"
        case .permission: "library.denied"
        default: "library.missing"
        }
    }

    /// The library, or why it cannot be used now.
    func opened() throws(LibraryError) -> AssetLibrary {
        guard let library else {
            throw LibraryError(.closed, "the library at \(path) is not open")
        }
        return library
    }

    func add(_ photo: FinishedPhoto) async throws(LibraryError) -> Asset {
        let library = try opened()
        do throws(LibraryError) {
            let asset = try await library.add(photo)
            await report(nil)
            return asset
        } catch {
            if [.full, .readOnly, .io].contains(error.code) {
                await report(Problem(code: Self.problemCode(error), message: error.message))
            }
            throw error
        }
    }

    private func reportState() async {
        guard let library else { return }
        switch await library.state {
        case .ready: await report(nil)
        case .readOnly(let reason):
            await report(Problem(code: "library.readonly", message: reason))
        case .closed: break
        }
    }

    /// Numbers for `status`.
    func status() async -> StatusReport.LibraryState {
        var status = StatusReport.LibraryState()
        guard let library, let numbers = try? await library.statistics() else {
            status.degraded = true
            return status
        }
        status.assets = numbers.assets
        status.photos = numbers.photos
        status.videos = numbers.videos
        status.bytes = numbers.bytes
        status.freeBytes = numbers.freeBytes
        if case .ready = await library.state {} else { status.degraded = true }
        return status
    }

    func close() async {
        opening?.cancel()
        await library?.close()
        library = nil
    }
}

extension FinishedPhoto {
    /// A still as the library takes it.
    init(_ still: FinishedStill, deviceName: String) {
        self.init(
            id: still.id, chunks: still.chunks, width: still.dimensions.width,
            height: still.dimensions.height, orientation: still.orientation,
            createdAt: WallTime(nanoseconds: still.wallTime, utcOffsetSeconds: still.utcOffset),
            timeConfidence: Clock.isSynchronized ? .synchronized : .estimated,
            bootID: Clock.bootIdentifier, boottime: still.bootTime,
            frameSequence: Int64(still.frameSequence),
            shutterOffsetMicroseconds: still.shutterOffset / 1000,
            shutterReference: .frameTimestamp,
            deviceName: deviceName, thumbnail: still.thumbnail)
    }
}
