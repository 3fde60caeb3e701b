// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import FoundationEssentials
package import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording

/// Owns the library while the appliance runs: opens it, as often as it takes, and tells when it cannot
/// be used.
///
///     closed ──open──▶ keeps photos ◀──admitted── keeps none (opens a library that has failed anew)
///                            └────────refused────────▲
///
/// It asks with each ``look()``, photos or not: a disk fills up, or goes, without a press of the button.
package actor LibraryKeeper {
    /// Something that is wrong with the library.
    package struct Problem: Sendable, Equatable {
        package let code: String
        package let message: String
        /// Whether no photo can be kept.
        package let preventsPhotos: Bool
    }

    /// The log names so many of what is gone.
    private static let listed = 20
    private static let probeDelay = Duration.milliseconds(500)
    private let patience: Duration
    /// What goes for good of itself.
    package nonisolated let retention: RetentionPolicy
    private let openLibrary: @Sendable () async throws(LibraryError) -> AssetLibrary
    private let path: String
    private let report: @Sendable ([Problem]) async -> Void
    private let log = Logger(label: "library")
    private var library: AssetLibrary?
    private var isOpening = false
    private var isToProbe = false
    private var isClosed = false
    /// What keeps photos from being kept.
    private var refusal: Problem?
    /// What opening found out of order; lasts.
    private var incomplete: Problem?
    /// What had to be put in the place of the database; lasts.
    private var restored: Problem?
    private var isToSalvage = false
    /// When it may be looked for damage again, `CLOCK_MONOTONIC`.
    private var nextSalvage: Int64 = 0
    /// Twice as long after each time that nothing came of it: looking copies the database.
    private var salvageDelay = shortestSalvageDelay
    private static let shortestSalvageDelay: Int64 = 60 * 1_000_000_000
    private static let longestSalvageDelay: Int64 = 24 * 3600 * 1_000_000_000
    private var reported: [Problem] = []
    private var isReporting = false
    /// Counted: what was asked before one and answered after it says nothing.
    private var refusals = 0
    /// Of all photos that were taken before the clock became right.
    private var timesAreRight = false
    private var uncorrectedReason: LibraryError.Code?
    private var isLooking = false
    /// Whether retention is under way.
    package private(set) var isLettingGo = false
    /// When things may go next, `CLOCK_MONOTONIC`.
    private var nextRetention: Int64 = 0
    private static let retentionInterval: Int64 = 3600 * 1_000_000_000
    private var isTakingSnapshot = false
    /// When the next one may be taken, `CLOCK_MONOTONIC`.
    private var nextSnapshot: Int64
    private static let snapshotInterval: Int64 = 24 * 3600 * 1_000_000_000
    private var recovering: Task<Void, Never>?

    /// - Parameters:
    ///   - report: Told all problems that there are whenever they change, one call after the other.
    ///   - patience: How long ``start()`` waits for the library to be opened.
    ///   - firstSnapshot: How long after the start; a day after it comes the next.
    package init(
        path: String, retention: RetentionPolicy = RetentionPolicy(),
        patience: Duration = .seconds(10), firstSnapshot: Duration = .seconds(300),
        report: @escaping @Sendable ([Problem]) async -> Void,
        open: @escaping @Sendable () async throws(LibraryError) -> AssetLibrary
    ) {
        self.path = path
        self.retention = retention
        self.patience = patience
        nextSnapshot = Clock.monotonic + firstSnapshot.components.seconds * 1_000_000_000
        self.report = report
        openLibrary = open
    }

    /// Opens the library, now or as soon as it can be. Waits for a medium that does not answer no longer than
    /// a kiosk may be without a picture.
    package func start() async {
        let isDone = await firstAnswer(within: patience) { answer in
            Task {
                await check()
                answer(true)
            }
        }
        if isDone == nil, library == nil, refusal == nil {
            refusal = Problem(
                code: "library.missing", message: "library \(path): its disk does not answer",
                preventsPhotos: true)
            await publish()
        }
    }

    /// Asks the library anew, and opens it where it is not: to be called every few seconds. Waits for nothing; while
    /// one look has no answer there is no other. Where the clock has become right meanwhile, so do the photos' times.
    package func look() {
        if isLooking || isClosed { return }
        isLooking = true
        Task {
            await letGoIfFailed()
            await salvageIfDamaged()
            await check()
            if !Clock.isSynchronized {
                timesAreRight = false
            } else if !timesAreRight {
                timesAreRight = await correctTimes()
            }
            isLooking = false
            letGo()
            takeSnapshot()
        }
    }

    /// Once a day, and some minutes after a start: kiosks are switched off every evening.
    private func takeSnapshot() {
        guard !isTakingSnapshot, !isClosed, let library, Clock.monotonic >= nextSnapshot
        else { return }
        isTakingSnapshot = true
        nextSnapshot = Clock.monotonic + Self.snapshotInterval
        Task {
            do throws(LibraryError) {
                if let taken = try await library.takeSnapshot() {
                    log.info("snapshot", metadata: ["path": "\(taken.path)"])
                }
            } catch {
                log.error("no snapshot", metadata: ["reason": "\(error)"])
                if error.code == .damaged { isToSalvage = true }
            }
            isTakingSnapshot = false
        }
    }

    /// A database that was found damaged: the best that can be had takes its place.
    private func salvageIfDamaged() async {
        guard isToSalvage, !isOpening, !isClosed, Clock.monotonic >= nextSalvage else { return }
        nextSalvage = Clock.monotonic + salvageDelay
        salvageDelay = min(2 * salvageDelay, Self.longestSalvageDelay)
        do throws(LibraryError) {
            if try await replaceDamaged() != nil { salvageDelay = Self.shortestSalvageDelay }
        } catch {
            log.error("database not replaced", metadata: ["reason": "\(error)"])
        }
    }

    /// Closes the library, and puts the best that can be had in the place of its database if that is damaged.
    ///
    /// - Returns: `nil` when it is not.
    package func salvage() async throws(LibraryError) -> SalvageReport? {
        guard !isOpening, !isClosed else {
            throw LibraryError(.busy, "library \(path): being opened or closed just now")
        }
        do throws(LibraryError) {
            let report = try await replaceDamaged()
            await check()
            return report
        } catch {
            await check()
            throw error
        }
    }

    private func replaceDamaged() async throws(LibraryError) -> SalvageReport? {
        isToSalvage = false
        // Nobody opens it meanwhile.
        isOpening = true
        defer { isOpening = false }
        if let library {
            self.library = nil
            await library.close()
            await recovering?.value
        }
        do throws(LibraryError) {
            let report = try await AssetLibrary.salvage(at: path)
            if let report { note(report) }
            return report
        } catch {
            isToSalvage = true
            throw error
        }
    }

    private func note(_ salvage: SalvageReport) {
        log.error(
            "the database was damaged",
            metadata: ["damage": "\(salvage.damage)", "replaced": "\(salvage.source)"])
        restored = Problem(
            code: "library.restored",
            message: "library \(path): its database was damaged: \(salvage.summary)",
            preventsPhotos: false)
    }

    /// Once an hour, what has been kept long enough goes for good; photos are stored meanwhile.
    private func letGo() {
        guard !isLettingGo, !isClosed, let library, Clock.monotonic >= nextRetention else { return }
        // Favourites of later than a snapshot are not known; a person looks first, and starts it again.
        if restored != nil { return }
        isLettingGo = true
        Task {
            do {
                guard await library.recovery.adoption == nil else {
                    isLettingGo = false
                    return
                }
                let gone = try await library.applyRetention(retention)
                nextRetention = Clock.monotonic + Self.retentionInterval
                if gone.count > 0 {
                    log.notice(
                        "gone by the rules of retention",
                        metadata: [
                            "count": "\(gone.count)", "bytes": "\(gone.bytes)",
                            "ids": "\(gone.items.prefix(Self.listed).map(\.id))",
                        ])
                }
            } catch {
                // Not before the library is well again, which others see to.
                nextRetention = Clock.monotonic + Self.retentionInterval / 60
            }
            isLettingGo = false
        }
    }

    /// A disk has come or gone: finds out whether the library's still takes files. A disk is told of several
    /// times, once for each of its partitions: one look a moment later is for them all.
    package func mediumChanged() async {
        if isToProbe { return }
        isToProbe = true
        try? await Task.sleep(for: Self.probeDelay)
        isToProbe = false
        if !isClosed { await check(probing: true) }
    }

    /// Opens the library if it is not, and finds out whether it takes photos.
    private func check(probing: Bool = false) async {
        if isOpening || isClosed { return }
        let before = refusals
        do throws(LibraryError) {
            if library == nil { try await open() }
            try await library?.admission(probing: probing)
            if before == refusals { refusal = nil }
            await publish()
        } catch {
            await refuse(error)
        }
    }

    private func refuse(_ error: LibraryError) async {
        refusals += 1
        refusal = Problem(error)
        if error.code == .damaged { isToSalvage = true }
        await publish()
    }

    private func open() async throws(LibraryError) {
        isOpening = true
        defer { isOpening = false }
        timesAreRight = false
        let library = try await openLibrary()
        guard !isClosed else { return await library.close() }
        self.library = library
        let recovery = await library.recovery
        if let salvage = recovery.salvage { note(salvage) }
        guard let adoption = recovery.adoption else { return note(recovery) }
        log.notice("originals are taken in", metadata: ["files": "\(adoption.total)"])
        recovering = Task {
            note(await library.recovered())
            await publish()
        }
    }

    private func note(_ recovery: AssetLibrary.Recovery) {
        if !recovery.adopted.isEmpty {
            log.notice("photos recovered", metadata: ["count": "\(recovery.adopted.count)"])
        }
        if !recovery.missing.isEmpty {
            log.error(
                "files of photos are gone",
                metadata: [
                    "count": "\(recovery.missing.count)",
                    "ids": "\(recovery.missing.prefix(Self.listed).map(\.text))",
                ])
        }
        if !recovery.unreadable.isEmpty {
            log.error(
                "files cannot be read",
                metadata: [
                    "count": "\(recovery.unreadable.count)",
                    "paths": "\(recovery.unreadable.prefix(Self.listed))",
                ])
        }
        if recovery.missing.count + recovery.unreadable.count > 0 {
            incomplete = Problem(
                code: "library.incomplete",
                message: "library \(path): the files of \(recovery.missing.count) photos are gone, "
                    + "\(recovery.unreadable.count) files cannot be read: see the log",
                preventsPhotos: false)
        }
    }

    /// A library whose medium has failed takes nothing more: the medium may be back, the library is
    /// opened anew.
    private func letGoIfFailed() async {
        guard let failed = library, case .readOnly = await failed.state else { return }
        library = nil
        if await failed.isDamaged { isToSalvage = true }
        await failed.close()
        await recovering?.value
    }

    /// Whoever reports already sees what has changed since.
    private func publish() async {
        guard !isReporting, !isClosed else { return }
        isReporting = true
        while reported != problems {
            reported = problems
            await report(reported)
        }
        isReporting = false
    }

    private var problems: [Problem] { [refusal, restored, incomplete].compactMap(\.self) }

    /// The library, or why it cannot be used now.
    package func opened() throws(LibraryError) -> AssetLibrary {
        guard let library else {
            throw LibraryError(.closed, "the library at \(path) is not open")
        }
        return library
    }

    /// Stores a photo, then finds out whether there is room for the next.
    package func add(_ photo: FinishedPhoto) async throws(LibraryError) -> Asset {
        let library = try opened()
        do throws(LibraryError) {
            let asset = try await library.add(photo)
            await check()
            // The clock may have become right while the photo was on its way.
            if photo.timeConfidence != .synchronized, Clock.isSynchronized {
                _ = await correctTimes()
            }
            return asset
        } catch {
            if ![.conflict, .invalid].contains(error.code) { await refuse(error) }
            throw error
        }
    }

    /// The clock has become right: what was taken before gets its time. Answers whether that is done.
    private func correctTimes() async -> Bool {
        guard let library else { return false }
        do {
            let count = try await library.correctTimes(by: .now)
            if count > 0 { log.notice("times corrected", metadata: ["photos": "\(count)"]) }
            return true
        } catch {
            if error.code != uncorrectedReason {
                log.error("times not corrected yet", metadata: ["reason": "\(error)"])
            }
            uncorrectedReason = error.code
            return false
        }
    }

    /// Numbers for `status`.
    package func status() async -> StatusReport.LibraryState {
        var status = StatusReport.LibraryState()
        guard let library, let numbers = await statistics(of: library) else {
            status.degraded = true
            return status
        }
        status.assets = numbers.assets
        status.photos = numbers.photos
        status.videos = numbers.videos
        status.bytes = numbers.bytes
        status.freeBytes = numbers.freeBytes
        if case .ready = await library.state {} else { status.degraded = true }
        if refusal != nil { status.degraded = true }
        if let adoption = await library.recovery.adoption {
            status.adoption = StatusReport.Adoption(done: adoption.done, total: adoption.total)
        }
        return status
    }

    /// A library that cannot be read is none that keeps photos.
    private func statistics(of library: AssetLibrary) async -> LibraryStatistics? {
        do {
            return try await library.statistics()
        } catch {
            if !isClosed, error.code != .cancelled { await refuse(error) }
            return nil
        }
    }

    /// Ends the library; problems are reported no more.
    package func close() async {
        isClosed = true
        await library?.close()
        await recovering?.value
        library = nil
    }
}

extension LibraryKeeper.Problem {
    /// A refusal that keeps photos from being kept.
    init(_ error: LibraryError) {
        let code =
            switch error.code {
            case .busy: "library.busy"
            case .full: "library.full"
            case .readOnly: "library.readonly"
            case .permission: "library.denied"
            default: "library.missing"
            }
        self.init(code: code, message: error.message, preventsPhotos: true)
    }
}

extension FinishedPhoto {
    /// A still as the library takes it.
    init(_ still: FinishedStill, deviceName: String, session: String? = nil) {
        self.init(
            id: still.id, chunks: still.chunks, width: still.dimensions.width,
            height: still.dimensions.height, orientation: still.orientation,
            createdAt: WallTime(nanoseconds: still.wallTime, utcOffsetSeconds: still.utcOffset),
            timeConfidence: Asset.TimeConfidence(
                isSynchronized: still.clockIsRight, hasHardwareClock: Clock.hasHardwareClock),
            bootID: Clock.bootIdentifier, boottime: still.bootTime,
            frameSequence: Int64(still.frameSequence),
            shutterOffsetMicroseconds: still.shutterOffset / 1000,
            shutterReference: .frameTimestamp,
            deviceName: deviceName, sessionID: session, thumbnail: still.thumbnail)
    }
}
