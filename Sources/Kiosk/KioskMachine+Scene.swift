// SPDX-License-Identifier: GPL-3.0-or-later

extension KioskMachine {
    /// The scene to show now. A running movie appears on top of all else.
    var scene: Scene {
        var scene = sceneWithoutRecording
        scene.recording = recordingFace
        return scene
    }

    /// The scene without a movie: a review comes before a fault, a countdown and other messages.
    private var sceneWithoutRecording: Scene {
        let texts = configuration.texts
        if let review {
            return Scene(
                .black, notice: notice?.notice ?? Scene.Notice(.success, texts.saved),
                review: Scene.Review(
                    assetID: review.photo.assetID, fileName: review.photo.fileName))
        }
        if let face = viewing?.face {
            return Scene(
                face.picture == nil ? .preview : .black, notice: notice?.notice, viewing: face)
        }
        if let fault {
            let words = texts.fault(fault)
            let code = fault.detail.isEmpty ? fault.code : "\(fault.code) · \(fault.detail)"
            return Scene(
                fault.effect == .noPreview ? .black : .preview, notice: notice?.notice,
                fault: Scene.Fault(
                    title: words.title, advice: words.advice, code: code,
                    copies: copiesWaiting))
        }
        if let countdown { return Scene(.preview, countdown: countdown) }
        if !started { return Scene(.black, message: texts.starting) }
        if let notice { return Scene(.preview, notice: notice.notice) }
        if isSavingLate { return Scene(.preview, notice: Scene.Notice(.progress, texts.saving)) }
        if let oldest = shots.first {
            let late = now >= oldest.orderTime + nanoseconds(configuration.savingNoticeSeconds)
            return Scene(.preview, notice: late ? Scene.Notice(.progress, texts.saving) : nil)
        }
        if let oddity {
            let words = texts.fault(oddity)
            return Scene(
                .preview, notice: Scene.Notice(.failure, "\(words.title). \(words.advice)"))
        }
        let invites = configuration.showsHint && occupation == nil
        return Scene(.preview, hint: invites ? texts.hint : nil)
    }
}
