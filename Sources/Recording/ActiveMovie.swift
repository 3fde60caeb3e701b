// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// What of a movie is not yet a fragment. A fragment goes from a key frame to the next, with the sound of that time.
struct ActiveMovie {
    let order: MovieOrder
    let origin: Int64
    /// Of pictures and sound, so far.
    private(set) var bytes = 0
    private var pictures: [EncodedSample] = []
    private var sound: [EncodedSample] = []
    /// Of a packet of sound, nanoseconds; `nil` for a movie without.
    private let packetDuration: Int64?
    /// Whether what comes of sound is of another kind than the movie's.
    private var isDeaf = false
    private var last: Int64
    private var pausedSince: Int64?
    private(set) var isPaused = false
    /// How long it has been paused in all.
    private var left: Int64 = 0

    /// - Parameter packetDuration: of the sound, nanoseconds; `nil` for none.
    init(order: MovieOrder, origin: Int64, packetDuration: Int64?) {
        self.order = order
        self.origin = origin
        self.packetDuration = packetDuration
        last = origin
    }

    /// Up to the last picture, pauses left out; nanoseconds.
    var duration: Int64 { last - origin }

    mutating func pause() {
        if isPaused { return }
        isPaused = true
        pausedSince = nil
    }

    mutating func resume() { isPaused = false }

    /// Takes a picture in.
    ///
    /// - Returns: a fragment, when it begins another one; else nothing.
    mutating func add(_ sample: EncodedSample) -> [MovieRun] {
        if isPaused {
            pausedSince = pausedSince ?? sample.time
            return []
        }
        if let since = pausedSince {
            // Until a key frame nothing that comes can be shown.
            guard sample.isKeyFrame else { return [] }
            left += sample.time - since
            pausedSince = nil
        }
        var sample = sample
        sample.time -= left
        last = sample.time
        bytes += sample.bytes.count
        defer { pictures.append(sample) }
        guard sample.isKeyFrame, !pictures.isEmpty else { return [] }
        return take(until: sample.time)
    }

    /// No sound that the movie could hold comes any more.
    mutating func endSound() { isDeaf = true }

    /// Takes sound in: what comes of it before the movie's beginning, or during a pause, is left out.
    mutating func addSound(_ packet: EncodedSample) {
        guard packetDuration != nil, !isDeaf, !isPaused, pausedSince == nil else { return }
        var packet = packet
        packet.time -= left
        guard packet.time >= origin else { return }
        bytes += packet.bytes.count
        sound.append(packet)
    }

    /// The last fragment.
    ///
    /// - Parameter interval: how long its last picture is shown, nanoseconds.
    mutating func rest(_ interval: Int64) -> [MovieRun] {
        pictures.isEmpty ? [] : take(until: last + max(interval, 1_000_000))
    }

    private mutating func take(until end: Int64) -> [MovieRun] {
        var runs = [MovieRun(track: 0, samples: pictures, end: end)]
        pictures = []
        guard let packetDuration else { return runs }
        let count = sound.firstIndex { $0.time >= end } ?? sound.count
        if count > 0 {
            let packets = Array(sound.prefix(count))
            runs.append(
                MovieRun(
                    track: 1, samples: packets, end: packets[count - 1].time + packetDuration))
            sound.removeFirst(count)
        }
        return runs
    }
}
