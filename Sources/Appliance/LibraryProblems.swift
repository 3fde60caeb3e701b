// SPDX-License-Identifier: GPL-3.0-or-later

internal import Health
internal import Kiosk
internal import LibraryService
internal import Logging

enum LibraryProblems {
    /// Puts the problems on the board, logs new ones, and tells the kiosk. New problems reach the
    /// kiosk before old ones are gone, or a press in between would be accepted.
    static func publish(
        _ current: [LibrarySupervisor.Problem], on board: ProblemBoard, to kiosk: KioskRunner
    ) async {
        let (new, gone) = board.replace(
            prefix: "library.",
            with: current.map {
                ProblemList.Problem(
                    code: $0.code, message: "\($0.message); next: \($0.next)",
                    severity: $0.prevents == .all ? .failed : .degraded)
            })
        for problem in current where new.contains(problem.code) {
            Logger(label: "library").error("problem", metadata: ["reason": "\(problem.message)"])
        }
        for problem in current {
            await kiosk.handle(
                .problem(
                    KioskProblem(
                        code: problem.code, effect: effect(problem.prevents),
                        detail: problem.message)))
        }
        for code in gone { await kiosk.handle(.problemGone(code: code)) }
    }

    private static func effect(
        _ prevented: LibrarySupervisor.Problem.Prevented
    ) -> KioskProblem.Effect {
        switch prevented {
        case .nothing: .unnoticed
        case .clips: .noClips
        case .all: .noPhotos
        }
    }
}
