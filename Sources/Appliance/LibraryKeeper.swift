// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import FoundationEssentials
internal import Glibc
package import Library
package import LinuxIO
internal import Logging

/// Owns the library while the appliance runs: opens it, as often as it takes, and tells when it cannot
/// be used.
///
///     closed ──open──▶ keeps photos ◀──admitted── keeps none (opens a library that has failed anew)
///       ▲                    ├────────refused────────▲
///       │                    └──no answer for 30 s───┤
///       └───────────no answer for 90 s───────────────┘
///
/// It asks with each ``look()``, photos or not: a disk fills up, or goes, without a press of the button.
package actor LibraryKeeper {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    /// The log names so many of what is gone.
    static let listed = 20
    private let probeDelay: @Sendable () async -> Void
    /// What goes for good of itself.
    package nonisolated let retention: RetentionPolicy
    private let openLibrary: @Sendable () async throws(LibraryError) -> AssetLibrary
    let salvageLibrary: Salvage
    let path: String
    private let report: @Sendable ([Problem]) async -> Void
    let log = Logger(label: "library")
    package internal(set) var library: AssetLibrary?
    var isOpening = false
    private var isToProbe = false
    /// There may be another medium than the one that was asked last.
    private var isMediumNew = false
    private(set) var isClosed = false
    /// What keeps photos from being kept.
    private(set) var refusal: Problem?
    /// What keeps clips alone from being kept.
    private var obstacleToClips: Problem?
    /// What opening found out of order; lasts.
    private var incomplete: Problem?
    /// What had to be put in the place of the database; lasts.
    var restored: Problem?
    var salvaging = Salvaging()
    private var reported: [Problem] = []
    private var isReporting = false
    /// Counted: what was asked before one and answered after it says nothing.
    private var refusals = 0
    /// Of all that was taken before the clock became right.
    private var timesAreRight = false
    private var uncorrectedReason: LibraryError.Code?
    private var isLooking = false
    var counting: Task<Void, Never>?
    /// As of the last time that the library told them.
    var numbers = StatusReport.LibraryState()
    private var recovering: Task<Void, Never>?
    var lettingGo = Chore()
    var takingSnapshot: Chore
    /// Who waits for the library waits so long for its medium.
    let patience: Duration
    /// Who asks for the numbers waits so long for new ones.
    var courtesy: Duration { patience / 20 }
    /// `CLOCK_MONOTONIC`, by which silences are measured.
    let now: @Sendable () -> Int64
    /// What the library was asked and has not answered.
    var questions: [Int: Question] = [:]
    /// How many questions have no answer.
    package var openQuestions: Int { questions.count }
    /// Whether it asks nothing, has noted every answer, and no chore uses the medium.
    package var isIdle: Bool {
        questions.isEmpty && !isLooking && counting == nil && !lettingGo.isUnderWay
            && !takingSnapshot.isUnderWay
    }
    var questionsAsked = 0
    /// `CLOCK_MONOTONIC`; to a question that had not been given up.
    var lastAnswer: Int64 = 0
    /// Threads that have not come back since they were given up.
    var threadsLost = 0

    /// - Parameters:
    ///   - executor: of whoever else works with it; what it does itself blocks nobody.
    ///   - report: Told all problems that there are whenever they change, one call after the other.
    ///   - patience: How long ``start()`` and ``close()`` wait for a medium. One that is silent for three times as
    ///     long is a problem, and after nine times as long what it was asked is given up.
    ///   - firstSnapshot: How long after the start; a day after it comes the next.
    ///   - probeDelay: Returns when the disk may be probed after ``mediumChanged()``.
    ///   - now: Tells the time by which the medium's silence is measured, in nanoseconds.
    package init(
        path: String, retention: RetentionPolicy = RetentionPolicy(),
        executor: ThreadExecutor = ThreadExecutor("library-keeper"),
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
        self.patience = patience
        takingSnapshot = Chore(after: firstSnapshot)
        self.probeDelay = probeDelay
        self.now = now
        self.report = report
        salvageLibrary = salvage
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
        if isDone == nil, library == nil, refusal == nil { await refuse(.stalled(path)) }
    }

    /// Asks the library anew, and opens it where it is not: to be called every few seconds. Waits for nothing; while
    /// one look has no answer there is no other. Where the clock has become right meanwhile, so do the photos' times.
    ///
    /// - Parameter isDoubtful: whether its disk may not answer: something is written to it, and taken away again, then.
    /// - Returns: whether it does ask.
    @discardableResult
    package func look(isDoubtful: Bool = false) -> Bool {
        if isClosed { return false }
        noticeSilence()
        if isLooking { return false }
        isLooking = true
        // Here: another thread would have to be woken for it.
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

    /// A disk has come or gone: finds out whether the library's still takes files. A disk is told of several
    /// times, once for each of its partitions: one look a moment later is for them all.
    package func mediumChanged() async {
        isMediumNew = true
        if isToProbe { return }
        isToProbe = true
        await probeDelay()
        isToProbe = false
        if !isClosed { await check(probing: true) }
    }

    /// Opens the library if it is not, and finds out whether it takes photos.
    func check(probing: Bool = false) async {
        if isOpening || isClosed { return }
        let before = refusals
        do throws(LibraryError) {
            if library == nil {
                // Before anything else comes in between.
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

    /// There is no room for a clip; for photos there may be all the same.
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
                // Whoever opens it next finds the database whole.
                await self.noteLate(recovery.salvage)
                await library.close()
            }
        } catch {
            // By the library that was left behind: its folder is free when it answers.
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

    /// A library whose medium has failed takes nothing more: the medium may be back, the library is
    /// opened anew. One that was opened on a medium that is mounted read-only, and still is, can be looked at.
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

    /// Nobody uses the library any more.
    func end(_ library: AssetLibrary) async {
        self.library = nil
        try? await ask(keepsThread: true) { await library.close() }
    }

    /// Whoever reports already sees what has changed since.
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

    /// The library, or why it cannot be used now.
    package func opened() throws(LibraryError) -> AssetLibrary {
        guard let library else {
            throw LibraryError(.closed, "the library at \(path) is not open")
        }
        return library
    }

    /// Stores a photo, then finds out whether there is room for the next.
    ///
    /// - Throws: what the library does; `stalled` when its medium has not answered for 90 seconds. It may
    ///   store the photo all the same when it does.
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
                // One that was silent has answered, whatever was said of it meanwhile.
                if before == refusals || refusal?.code == Problem(.stalled(path)).code {
                    refusal = nil
                }
                await publish()
            }
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

    /// - Returns: the photo, and what is in the way of the next.
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

    /// Has a photo stand for its burst.
    ///
    /// - Throws: as ``add(_:)``.
    func represent(_ id: Asset.ID) async throws(LibraryError) {
        let library = try opened()
        _ = try await ask { () async throws(LibraryError) in
            try await library.performChanges(from: .capture) { $0.change([id], .representBurst) }
        }
    }

    /// The clock has become right: what was taken before gets its time. Answers whether that is done.
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

    /// Ends the library, or leaves it behind where its medium does not answer; problems are reported no more.
    package func close() async {
        isClosed = true
        guard let library else { return }
        self.library = nil
        let isDone = await firstAnswer(within: patience) { [recovering] answer in
            Task {
                await library.close()
                await recovering?.value
                answer(true)
            }
        }
        if isDone == nil { leaveBehind() }
    }
}
