// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Foundation
internal import Imaging
internal import LinuxIO
internal import Media

/// Checks media of strangers that are played. Any bytes are refused, or give pictures of a bounded
/// size and sound in order. The fuzzer watches the memory.
func takePlayedMedia(_ bytes: [UInt8]) {
    guard (try? Data(bytes).write(to: file)) != nil else {
        preconditionFailure("\(file.path) cannot be written")
    }
    guard let reader = opened() else { return }
    precondition(!reader.duration.isNumeric || reader.duration > .zero)
    if let track = reader.tracks.first(where: { $0.kind == .video }),
        let pictures = try? PictureReader(track, of: reader)
    {
        reader.select([track.index])
        for _ in 0..<samples { check(try? pictures.next()) }
        check(try? pictures.picture(at: MediaTime(value: 1, timescale: 2)))
        check(try? pictures.picture(at: .zero))
    }
    takeSubtitles()
    if let reader = opened(), let track = reader.tracks.first(where: { $0.kind == .audio }) {
        let format = AudioFormat(sampleRate: 48_000, channels: 2)
        reader.select([track.index])
        guard let sound = try? SoundReader(track, of: reader, as: format) else { return }
        for _ in 0..<samples {
            guard let chunk = (try? sound.read()) ?? nil else { return }
            precondition(!chunk.samples.isEmpty && chunk.samples.count % 2 == 0)
        }
    }
}

/// Subtitles are refused, or give pictures that lie on the screen.
private func takeSubtitles() {
    guard let reader = opened(), let track = reader.tracks.first(where: { $0.kind == .subtitle }),
        let decoder = try? SubtitleDecoder(track, of: reader),
        let drawer = try? SubtitleDrawer(decoder.script)
    else { return }
    reader.select([track.index])
    let screen = Dimensions(width: 320, height: 180)
    for number in 0..<samples {
        guard let packet = (try? reader.read(of: track)) ?? nil else { return }
        guard let event = decoder.decode(packet) else { continue }
        let gravity: Gravity = number % 2 == 0 ? .resizeAspectFill : .resizeAspect
        let layout = SubtitleLayout(Dimensions(width: 160, height: 120), on: screen, gravity)
        let later = MediaTime(value: Int64(number), timescale: 1)
        for time in [event.start, later] {
            guard let drawn = drawer.draw([event], at: time, layout) else { continue }
            precondition(drawn.place.intersection(PixelRect(screen)) == drawn.place)
            precondition(drawn.picture.description.dimensions == drawn.place.size)
        }
    }
}

private func opened() -> MediaReader? {
    guard let descriptor = try? OwnedDescriptor(open: file.path, flags: O_RDONLY) else {
        return nil
    }
    return try? MediaReader(descriptor, name: file.path)
}

private func check(_ picture: DecodedPicture??) {
    guard let picture = picture ?? nil else { return }
    precondition(picture.dimensions.width > 0 && picture.dimensions.height > 0)
    precondition(picture.dimensions.pixels <= PictureDecoder.mostPixels)
}

/// The most packets of each track that are decoded.
private let samples = 16
private let file = URL(fileURLWithPath: "/dev/shm/vitrine-fuzz-\(getpid())")
