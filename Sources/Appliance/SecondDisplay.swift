// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Display
internal import Media
internal import Synchronization

/// Shows the camera's picture without texts, while there is one: for a projector, or for those who wait.
final class SecondDisplay: Sendable {
    let screen: Screen
    let preview: PreviewOutput
    private let splash: SplashPicture
    private let isMirrored: Bool
    private let state = Mutex(State())

    private struct State {
        var shown: (connector: String, mode: String, size: Dimensions)?
        var hasVideo = false
    }

    init(_ screen: Screen, splash: SplashPicture, isMirrored: Bool) {
        self.screen = screen
        self.splash = splash
        self.isMirrored = isMirrored
        preview = PreviewOutput(target: screen)
    }

    /// The connector and mode in use; `nil` without a display.
    var shown: (connector: String, mode: String)? {
        state.withLock { state in state.shown.map { ($0.connector, $0.mode) } }
    }

    /// - Parameter degrees: clockwise, for pictures to be upright.
    func addPreview(
        to session: inout CaptureSession.Configuration, turned degrees: Int
    ) throws(CaptureError) {
        try session.addOutput(preview)
        try session.withConnection(to: preview) { connection throws(CaptureError) in
            try connection.setVideoRotationAngle(degrees)
            try connection.setVideoMirrored(isMirrored)
        }
    }

    /// The display has come, or has another mode.
    ///
    /// - Returns: whether it was not there before.
    func appeared(_ connector: String, _ mode: String, _ size: Dimensions) -> Bool {
        defer { draw() }
        return state.withLock { state in
            let isNew = state.shown == nil
            state.shown = (connector, mode, size)
            return isNew
        }
    }

    func disappeared() { state.withLock { $0.shown = nil } }

    /// The camera's picture has come, or will not come for a while: nobody is to take the last one for it.
    func setHasVideo(_ hasVideo: Bool) {
        let changes = state.withLock { state in
            defer { state.hasVideo = hasVideo }
            return state.hasVideo != hasVideo
        }
        if changes { draw() }
    }

    private func draw() {
        let (size, hasVideo) = state.withLock { ($0.shown?.size, $0.hasVideo) }
        guard let size else { return }
        screen.setOverlay(hasVideo ? nil : splash.picture(for: size))
    }
}
