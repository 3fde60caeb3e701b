// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
internal import Kiosk
internal import Media
internal import Recording
internal import Settings

extension PhotoSettings {
    /// What a photo is where nobody asks for anything else.
    var usual: CapturePhotoSettings {
        switch format {
        case .original: CapturePhotoSettings(format: .original)
        case .jpeg: CapturePhotoSettings(format: .jpeg)
        case .raw: CapturePhotoSettings(format: .raw)
        }
    }
}

extension Board {
    var kioskConfiguration: KioskConfiguration {
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

    var splash: SplashPicture { SplashPicture(path: settings.display.splash) }

    func photoSettings(version: String) -> PhotoProcessor.Settings {
        var photo = PhotoProcessor.Settings()
        (photo.make, photo.model) = (camera.settings.make, camera.settings.model)
        photo.software = Self.software(version)
        photo.quality = settings.photo.quality
        photo.wantsThumbnail = settings.photo.thumbnail
        photo.location = location
        return photo
    }

    var movieSettings: MovieSettings {
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

    func recorderConfiguration(version: String) -> MovieRecorder.Configuration {
        let longest = settings.recording.maximumSeconds
        // The kiosk ends a movie; this does where it does not. A pre-roll begins with a key frame.
        let (preRoll, grace) = (settings.recording.preRollSeconds, 5.0)
        let segment = settings.recording.segmentSeconds
        let largest = settings.recording.maximumMegabytes
        return MovieRecorder.Configuration(
            maximumDuration: longest > 0 ? Int64((longest + preRoll + grace) * 1e9) : nil,
            usualEnd: longest > 0 ? Int64(longest * 1e9) : nil,
            maximumFileSize: largest > 0 ? largest << 20 : nil,
            segmentDuration: segment > 0 ? Int64(segment * 1e9) : nil,
            reserve: Int64(settings.library.reserveMegabytes) << 20,
            camera: camera, software: Self.software(version), location: location,
            orientation: orientationSampler?.rotation)
    }

    private static func software(_ version: String) -> String { "Vitrine \(version)" }

    /// Where it stands; `nil` when the configuration does not say so.
    private var location: Location? {
        let place = settings.photo
        guard place.latitude != 0 || place.longitude != 0 else { return nil }
        return Location(
            latitude: place.latitude, longitude: place.longitude,
            altitude: place.altitude == 0 ? nil : place.altitude)
    }
}
