// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import Logging
internal import Recording
internal import Settings

/// The configuration's cameras, of which one is used at a time.
extension Appliance {
    /// Goes over to a camera, while everything else runs: the preview keeps its last picture until the other one's come.
    ///
    /// - Parameter name: in the configuration; `nil` for the next one.
    /// - Throws: 64 for one that is not there.
    func useCamera(named name: String?) async throws {
        let next = try camera(toUse: name)
        if next.id == board.camera.id { return }
        try await session.configure { [board] session in try board.use(next, in: &session) }
        board.camera.choose(next)
        await processor.setCamera(board.camera.label)
        log.notice("camera chosen", metadata: ["camera": "\(next.id)"])
    }

    private func camera(toUse name: String?) throws(CommandError) -> CameraSettings {
        guard let next = board.camera.other(named: name) else {
            let names = board.settings.cameras.map(\.id).joined(separator: ", ")
            throw CommandError(
                "camera.unknown",
                name.map { "there is no camera \"\($0)\"" } ?? "there is no other camera",
                next: names.isEmpty ? "The configuration has none." : "There is: \(names)",
                exit: .usage)
        }
        return next
    }

    /// By command: not in the midst of what a guest does, nor to one that is not there or is another program's.
    func useCamera(byCommand name: String?) async throws -> StatusReport.Camera {
        try await refuseAnotherCamera()
        let next = try camera(toUse: name)
        if next.id != board.camera.id {
            try await requireAvailable(next)
            // Looking for it takes as long as drivers take to answer.
            try await refuseAnotherCamera()
        }
        try await useCamera(named: next.id)
        return await cameraStatus()
    }

    private func refuseAnotherCamera() async throws(CommandError) {
        if let reason = await kiosk.refusalOfAnotherCamera { throw CommandError.busy(reason) }
        try refuseDuringBracket()
    }

    private func requireAvailable(_ camera: CameraSettings) async throws(CommandError) {
        do throws(CaptureError) {
            _ = try await board.input(camera).device.search(isWanted: true)
        } catch {
            // One that nobody else has this session has just left, or has under another name.
            if error.code == .busy, error.holders.isEmpty { return }
            let problem = error.explanation
            throw CommandError(
                error.problemCode, "the camera stays: \(problem.reason)",
                next: problem.next ?? "", exit: .temporary)
        }
    }
}
