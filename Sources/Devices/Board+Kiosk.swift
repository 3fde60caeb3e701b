// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
package import Kiosk
package import Media
package import Recording
package import Settings

extension PhotoSettings {
    package var usual: CapturePhotoSettings {
        switch format {
        case .original: CapturePhotoSettings(format: .original)
        case .jpeg: CapturePhotoSettings(format: .jpeg)
        case .raw: CapturePhotoSettings(format: .raw)
        }
    }
}

extension Board {
    package var kioskConfiguration: KioskConfiguration {
        var configuration = KioskConfiguration()
        configuration.countdownSeconds = settings.display.countdownSeconds
        configuration.hasOtherCamera = settings.cameras.count > 1
        configuration.photo = settings.photo.usual
        configuration.burstCount = settings.photo.burstCount
        configuration.loopSeconds = settings.photo.loopSeconds
        configuration.reviewSeconds = settings.display.reviewSeconds
        configuration.showsHint = settings.display.readyHint
        configuration.recordingCountdownSeconds = settings.recording.countdownSeconds
        configuration.recordingHasPreRoll = settings.recording.preRollSeconds > 0
        let longest = settings.recording.maximumSeconds
        configuration.recordingSeconds = longest > 0 ? longest : nil
        configuration.sessionIdleSeconds = settings.guest.idleSeconds
        let offAfter = settings.display.offAfterMinutes
        configuration.screenOffSeconds = offAfter > 0 ? Double(offAfter) * 60 : nil
        configuration.hasFlash = settings.flash.line != nil
        configuration.flashLeadMilliseconds = settings.flash.leadMilliseconds
        configuration.flashLightsCountdown = settings.flash.start == .countdown
        configuration.flashMaximumMilliseconds = settings.flash.maximumMilliseconds
        configuration.texts.hint = settings.display.readyText
        configuration.texts.saved = settings.display.savedText
        return configuration
    }

    package func photoSettings(version: String) -> PhotoProcessor.Settings {
        var photo = PhotoProcessor.Settings()
        (photo.make, photo.model) = (camera.settings.make, camera.settings.model)
        photo.software = Self.software(version)
        photo.quality = settings.photo.quality
        photo.wantsThumbnail = settings.photo.thumbnail
        photo.location = location
        return photo
    }

    package var movieSettings: MovieSettings {
        var movie = MovieSettings()
        movie.preRoll = Int64(settings.recording.preRollSeconds * 1e9)
        movie.orderDelay += repertoire.longestWait
        movie.largestPreRollBytes = settings.recording.preRollMegabytes << 20
        movie.isExpected = settings.recordsClips
        movie.encoder =
            switch settings.recording.encoder {
            case .auto: .automatic
            case .v4l2: .v4l2
            case .v4l2m2m: .v4l2m2m
            case .x264: .x264
            }
        movie.quality = settings.recording.quality
        movie.preset = settings.recording.preset.rawValue
        return movie
    }

    /// The program's name for EXIF and for the tags of clips.
    package static func software(_ version: String) -> String { "Vitrine \(version)" }

    package var location: Location? {
        let place = settings.photo
        guard place.latitude != 0 || place.longitude != 0 else { return nil }
        return Location(
            latitude: place.latitude, longitude: place.longitude,
            altitude: place.altitude == 0 ? nil : place.altitude)
    }
}
