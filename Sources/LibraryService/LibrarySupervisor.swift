// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
package import Library
package import LinuxIO
internal import Logging

/// Owns the library while the appliance runs: opens it as often as necessary, and reports when it
/// cannot be used.
///
///     closed ──open──▶ takes photos ◀──admitted── takes none (reopens a library that has failed)
///       ▲                    ├────────refused────────▲
///       │                    └──no answer for 30 s───┤
///       └───────────no answer for 90 s───────────────┘
///
/// Each ``look(isDoubtful:)`` asks the library, because a disk fills up or disappears without a
/// press of the button.
package actor LibrarySupervisor {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    /// The number of missing files that the log names.
    static let listed = 20
    private let probeDelay: @Sendable () async -> Void
    package nonisolated let retention: RetentionPolicy
    /// The place of the copies; `nil` without one.
    package nonisolated let remote: SyncRemote?
    /// Makes pictures of originals that are no JPEG.
    let foreign: (any ForeignPictures)?
    /// Called after each photo or clip that was stored.
    let stored: @Sendable () async -> Void
    private let openLibrary: @Sendable () async throws(LibraryError) -> AssetLibrary
    let salvageLibrary: Salvage
    let path: String
    private let report: @Sendable ([Problem]) async -> Void
    let log = Logger(label: "library")
    package internal(set) var library: AssetLibrary?
    var isOpening = false
    private var isToProbe = false
    /// Whether another medium may be in place of the one that was asked last.
    private var isMediumNew = false
    private(set) var isClosed = false
    /// Why no photo can be stored; `nil` if photos can.
    private(set) var refusal: Problem?
    /// Why no clip can be stored although photos can.
    private var obstacleToClips: Problem?
    /// The damage that opening found; it stays until the next start.
    private var incomplete: Problem?
    /// The replacement of a damaged database; it stays until the next start.
    var restored: Problem?
    var salvaging = Salvaging()
    private var reported: [Problem] = []
    private var isReporting = false
    /// The number of refusals. An answer is stale if a refusal came between it and its question.
    private var refusals = 0
    /// Whether the times of everything that was taken before the clock became right are corrected.
    private var timesAreRight = false
    private var uncorrectedReason: LibraryError.Code?
    private var isLooking = false
    var counting: Task<Void, Never>?
    var numbers = StatusReport.LibraryState()
    /// What the remote did not have when it was last asked.
    package internal(set) var backlog = SyncBacklog()
    private var recovering: Task<Void, Never>?
    var lettingGo = Chore()
    var takingSnapshot: Chore
    /// How long callers wait for the library's medium.
    let patience: Duration
    /// How long callers of ``status()`` wait for new numbers.
    var courtesy: Duration { patience / 20 }
    /// Returns the time that measures the medium's silence, in nanoseconds of `CLOCK_MONOTONIC`.
    let now: @Sendable () -> Int64
    var questions: [Int: Question] = [:]
    package var openQuestions: Int { questions.count }
    /// Whether no question is open, every answer is handled, and no chore uses the medium.
    package var isIdle: Bool {
        questions.isEmpty && !isLooking && counting == nil && !lettingGo.isUnderWay
            && !takingSnapshot.isUnderWay
    }
    var questionsAsked = 0
    /// The time of the last answer to a question that was not abandoned.
    var lastAnswer: Int64 = 0
    /// The abandoned threads that are still blocked.
    var threadsLost = 0

    /// - Parameters:
    ///   - remote: the place of the copies; `nil` without one.
    ///   - foreign: makes pictures of originals that are no JPEG.
    ///   - executor: shared with other parts; the supervisor does not block it.
    ///   - stored: called after each photo or clip that was stored.
    ///   - report: called with all problems when they change, one call after the other.
    ///   - patience: how long ``start()`` and ``close()`` wait for a medium. After three times as
    ///     long, its silence is a problem; after nine times as long, its questions are abandoned.
    ///   - firstSnapshot: the delay of the first snapshot; the next follows a day later.
    ///   - probeDelay: returns when the disk may be probed after ``mediumChanged()``.
    ///   - now: returns the time that measures the medium's silence, in nanoseconds.
    package init(
        path: String, retention: RetentionPolicy = RetentionPolicy(),
        remote: SyncRemote? = nil, foreign: (any ForeignPictures)? = nil,
        executor: ThreadExecutor = ThreadExecutor("library-keeper"),
        stored: @escaping @Sendable () async -> Void = {},
        patience: Duration = .seconds(10), firstSnapshot: Duration = .seconds(300),
        probeDelay: @escaping @Sendable () async -> Void = {
            try? await Task.sleep(for: .milliseconds(500))
        },
        now: @escaping @Sendable () -> Int64 = { Clock.monotonic },
        report: @escaping @Sendable ([Problem]) async -> Void,
        salvage: @escaping Salvage = { (path) async throws(LibraryError) in
            try await AssetLibrary.salvage(at: path)
        },
        open: @escaping @Sendable () async throws(LibraryError) -> AssetLibrary
    ) {
        self.path = path
        self.executor = executor
        self.retention = retention
        self.remote = remote
        self.foreign = foreign
        self.stored = stored
        self.patience = patience
        takingSnapshot = Chore(after: firstSnapshot)
        self.probeDelay = probeDelay
        self.now = now
        self.report = report
        salvageLibrary = salvage
        openLibrary = open
    }

    /// Opens the library, now or as soon as possible. The wait for a silent medium is limited,
    /// because the kiosk shows no picture meanwhile.
    package func start() async {
        let checked: Void? = await firstAnswer(within: patience) { await self.check() }
        if checked == nil, library == nil, refusal == nil { await refuse(.stalled(path)) }
    }

    /// Asks the library for its state, and opens it if necessary; returns whether it asks. Call it
    /// every few seconds. It does not wait, and does nothing while an earlier look has no answer.
    /// If the clock has become right, it corrects the photos' times. If `isDoubtful`, a file is
    /// written and removed, because the disk may be hanging.
    @discardableResult
    package func look(isDoubtful: Bool = false) -> Bool {
        if isClosed { return false }
        noticeSilence()
        if isLooking { return false }
        isLooking = true
        // The task begins on this thread, to wake up no other.
        Task.immediate(executorPreference: executor) {
            // A healthy library is asked one question, not two.
            if refusal != nil { await letGoIfFailed() }
            await salvageIfDamaged()
            await check(probing: isDoubtful)
            if !Clock.isSynchronized {
                timesAreRight = false
            } else if !timesAreRight {
                timesAreRight = await correctTimes()
            }
            isLooking = false
            letGo()
            takeSnapshot()
        }
        return true
    }

    /// A disk was plugged in or out: checks whether the library's still takes files. The kernel
    /// reports each partition, so one check a moment later serves them all.
    package func mediumChanged() async {
        isMediumNew = true
        if isToProbe { return }
        isToProbe = true
        await probeDelay()
        isToProbe = false
        if !isClosed { await check(probing: true) }
    }

    /// Opens the library if necessary, and checks whether it takes photos.
    func check(probing: Bool = false) async {
        if isOpening || isClosed { return }
        let before = refusals
        do throws(LibraryError) {
            if library == nil {
                // The flag is set before anything else can intervene.
                isOpening = true
                defer { isOpening = false }
                try await open()
            }
            if let library {
                let obstacle = try await ask { () async throws(LibraryError) in
                    try await library.admission(probing: probing)
                }
                obstacleToClips = obstacle.map { Problem(ofClips: $0) }
            }
            if before == refusals { refusal = nil }
            await publish()
        } catch {
            await refuse(error)
        }
    }

    /// Notes that there is no room for a clip, although there may be for photos.
    func refuseClips(_ error: LibraryError) async {
        obstacleToClips = Problem(ofClips: error)
        await publish()
    }

    func refuse(_ error: LibraryError) async {
        refusals += 1
        refusal = Problem(error)
        if error.code == .damaged { salvaging.isDue = true }
        await publish()
    }

    private func open() async throws(LibraryError) {
        guard mayLoseThread || isMediumNew else { throw .stalled(path) }
        isMediumNew = false
        timesAreRight = false
        let (library, recovery) = try await askToOpen()
        guard !isClosed else { return await library.close() }
        self.library = library
        recovering = nil
        if let salvage = recovery.salvage { note(salvage) }
        guard let adoption = recovery.adoption else { return note(recovery) }
        log.notice("originals are taken in", metadata: ["files": "\(adoption.total)"])
        recovering = Task {
            note(await library.recovered())
            await publish()
        }
    }

    private func askToOpen() async throws(LibraryError) -> (AssetLibrary, AssetLibrary.Recovery) {
        do throws(LibraryError) {
            return try await ask(keepsThread: true) { [openLibrary] () async throws(LibraryError) in
                let library = try await openLibrary()
                return (library, await library.recovery)
            } late: { library, recovery in
                // The next open finds the database intact.
                await self.noteLate(recovery.salvage)
                await library.close()
            }
        } catch {
            // The abandoned library holds the lock until its medium answers.
            if case .held(by: getpid())? = error.underlying as? FolderLock.Failure {
                throw .stalled(path)
            }
            throw error
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
                    + "\(recovery.unreadable.count) files cannot be read: the log names them",
                next: "see: vitrine logs, vitrine library verify", prevents: .nothing)
        }
    }

    /// Closes a library whose medium has failed, so that it is opened again. A library on a medium
    /// that is mounted read-only stays open for reading.
    private func letGoIfFailed() async {
        guard let library,
            let (state, isDamaged, isAsGoodAsItGets) = try? await ask({
                (await library.state, await library.isDamaged, await library.isMediumReadOnly)
            }),
            case .readOnly = state, !isAsGoodAsItGets, library === self.library
        else { return }
        if isDamaged { salvaging.isDue = true }
        await end(library)
    }

    /// Closes a library that nobody uses any more.
    func end(_ library: AssetLibrary) async {
        self.library = nil
        try? await ask(keepsThread: true) { await library.close() }
    }

    /// Reports the problems; a report that is under way includes later changes.
    func publish() async {
        guard !isReporting, !isClosed else { return }
        isReporting = true
        while reported != problems {
            reported = problems
            await report(reported)
        }
        isReporting = false
    }

    private var problems: [Problem] {
        [refusal ?? obstacleToClips, restored, incomplete].compactMap(\.self)
    }

    /// Returns the library, or throws why it cannot be used now.
    package func opened() throws(LibraryError) -> AssetLibrary {
        guard let library else {
            throw LibraryError(.closed, "the library at \(path) is not open")
        }
        return library
    }

    /// Stores a photo, then checks whether there is room for the next. Throws what the library
    /// throws; `stalled` if its medium has not answered for 90 seconds, although the photo may be
    /// stored later.
    package func add(_ photo: FinishedPhoto) async throws(LibraryError) -> Asset {
        let library = try opened()
        let before = refusals
        do throws(LibraryError) {
            let (asset, obstacle) = try await ask { () async throws(LibraryError) in
                try await Self.add(photo, to: library)
            } late: { [log] asset, _ in
                log.notice(
                    "a photo that was given up is stored", metadata: ["id": "\(asset.id.text)"])
            }
            if let obstacle {
                await refuse(obstacle)
            } else {
                // A silent medium has answered, so an earlier refusal is stale.
                if before == refusals || refusal?.code == Problem(.stalled(path)).code {
                    refusal = nil
                }
                await publish()
            }
            // The clock may have become right while the photo was on its way.
            if photo.timeConfidence != .synchronized, Clock.isSynchronized {
                _ = await correctTimes()
            }
            await stored()
            return asset
        } catch {
            if ![.conflict, .invalid].contains(error.code) { await refuse(error) }
            throw error
        }
    }

    /// Stores a photo; returns the asset, and why the next photo cannot be stored.
    private static func add(
        _ photo: FinishedPhoto, to library: isolated AssetLibrary
    ) throws(LibraryError) -> (Asset, obstacle: LibraryError?) {
        let asset = try library.add(photo)
        do throws(LibraryError) {
            try library.admission()
            return (asset, nil)
        } catch {
            return (asset, error)
        }
    }

    /// Lets a photo represent its burst; throws as ``add(_:)`` does.
    package func represent(_ id: Asset.ID) async throws(LibraryError) {
        let library = try opened()
        _ = try await ask { () async throws(LibraryError) in
            try await library.performChanges(from: .capture) { $0.change([id], .representBurst) }
        }
    }

    /// Corrects the times from before the clock became right; returns whether that is done.
    private func correctTimes() async -> Bool {
        guard let library else { return false }
        do {
            let count = try await ask { () async throws(LibraryError) in
                try await library.correctTimes(by: .now)
            }
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

    /// Closes the library, or abandons it if its medium does not answer. Problems are no longer
    /// reported.
    package func close() async {
        isClosed = true
        guard let library else { return }
        self.library = nil
        let closed: Void? = await firstAnswer(within: patience) { [recovering] in
            await library.close()
            await recovering?.value
        }
        if closed == nil { leaveBehind() }
    }
}
