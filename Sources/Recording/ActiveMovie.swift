// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// The part of a movie that is not yet in a fragment. A fragment ends before a key frame and
/// includes the sound of its time. A camera that compresses may send key frames rarely, so a
/// fragment also ends when it is ``longestFragment`` long.
struct ActiveMovie {
    /// Nanoseconds. A power cut loses at most this much, plus what waits to be written.
    private static let longestFragment: Int64 = 1_200_000_000

    let order: MovieOrder
    let origin: Int64
    /// Whether the movie ends with its first picture.
    let endsAtOnce: Bool
    /// The movie's earlier files: nanoseconds and bytes.
    let earlierDuration: Int64
    let earlierBytes: Int
    private(set) var bytes = 0
    private var pictures: [EncodedSample] = []
    private var sound: [EncodedSample] = []
    /// Sound, with its original times; the next picture decides whether it lies in a pause.
    private var heldSound: [EncodedSample] = []
    /// When the last packet of sound begins, in the movie's time.
    private var lastSound: Int64?
    private let packetDuration: Int64?
    private var isDeaf = false
    private var last: Int64
    /// The time of the first picture left out by the current pause.
    private var pausedSince: Int64?
    private(set) var isPaused = false
    /// The pauses, each from the first picture left out to the first one after it.
    private var pauses: [Range<Int64>] = []
    /// The total length of the pauses.
    private var left: Int64 = 0

    /// Continues `former`, split at `origin`. `packetDuration` is in nanoseconds; `nil`: no sound.
    init(
        order: MovieOrder, origin: Int64, packetDuration: Int64?, endsAtOnce: Bool = false,
        after former: ActiveMovie? = nil
    ) {
        earlierDuration = former.map { $0.earlierDuration + origin - $0.left - $0.origin } ?? 0
        earlierBytes = former.map { $0.earlierBytes + $0.bytes } ?? 0
        self.order = order
        self.origin = origin
        self.endsAtOnce = endsAtOnce
        self.packetDuration = packetDuration
        last = origin
    }

    /// Nanoseconds up to the last picture, without pauses.
    var duration: Int64 { last - origin }

    var hasPictures: Bool { !pictures.isEmpty }

    mutating func pause() { isPaused = true }

    mutating func resume() {
        isPaused = false
        // No picture was left out.
        if pausedSince == nil { releaseSound() }
    }

    /// Adds a picture. Returns the previous fragment if the picture begins another, else nothing.
    mutating func add(_ sample: EncodedSample) -> [MovieRun] {
        if isPaused, pausedSince == nil {
            pausedSince = sample.time
            releaseSound()
        }
        if let since = pausedSince {
            // Pictures before a key frame cannot be shown.
            guard !isPaused, sample.isKeyFrame else {
                heldSound.removeAll { $0.time < sample.time }
                return []
            }
            endPause(since, at: sample.time)
        }
        releaseSound()
        var sample = sample
        sample.time -= left
        last = sample.time
        bytes += sample.bytes.count
        defer { pictures.append(sample) }
        guard let first = pictures.first,
            sample.isKeyFrame || sample.time - first.time >= Self.longestFragment
        else { return [] }
        return removeFragment(until: sample.time)
    }

    private mutating func endPause(_ since: Int64, at time: Int64) {
        pauses.append(since..<max(since, time))
        left += time - since
        pausedSince = nil
    }

    /// Returns the movie's time for a sample after the pictures of its time; `nil` in a pause.
    private func place(of time: Int64) -> Int64? {
        if let pausedSince, time >= pausedSince { return nil }
        if pauses.contains(where: { $0.contains(time) }) { return nil }
        return time - pauses.reduce(0) { $0 + ($1.upperBound <= time ? Int64($1.count) : 0) }
    }

    /// Whether the next picture decides if sound of this time is in the movie.
    private func isUndecided(_ time: Int64) -> Bool {
        if let pausedSince { return time >= pausedSince }
        return isPaused && time >= last + left
    }

    private mutating func releaseSound() {
        let held = heldSound
        heldSound = []
        for packet in held { addSound(packet) }
    }

    /// Ignores further sound, which the movie's track cannot hold.
    mutating func endSound() { isDeaf = true }

    /// Adds sound that begins before `end`, in the movie's time; returns `false` for later sound.
    mutating func addSound(_ packet: EncodedSample, until end: Int64) -> Bool {
        if let pausedSince, packet.time >= pausedSince { return false }
        if let time = place(of: packet.time), time >= end { return false }
        addSound(packet)
        return true
    }

    /// Adds sound, unless it lies before the movie's beginning or in a pause.
    mutating func addSound(_ packet: EncodedSample) {
        guard let packetDuration, !isDeaf else { return }
        if isUndecided(packet.time) { return heldSound.append(packet) }
        guard let time = place(of: packet.time), time >= origin else { return }
        // After a pause a packet may begin in the middle of another.
        if let lastSound, time - lastSound < packetDuration / 2 { return }
        lastSound = time
        var packet = packet
        packet.time = time
        bytes += packet.bytes.count
        sound.append(packet)
    }

    /// Ends the movie before the picture at `time`, which belongs to the next one. Returns the end
    /// in this movie's time, and the later sound, which belongs to the next movie, too.
    mutating func split(at time: Int64) -> (end: Int64, sound: [EncodedSample]) {
        if let since = pausedSince { endPause(since, at: time) }
        isPaused = false
        releaseSound()
        let end = time - left
        let count = sound.firstIndex { $0.time >= end } ?? sound.count
        let later = sound[count...].map { packet in
            EncodedSample(
                bytes: packet.bytes, time: packet.time + left, isKeyFrame: packet.isKeyFrame)
        }
        sound.removeLast(later.count)
        return (end, later)
    }

    /// Returns the last fragment; `end` is the end of the last picture, in the movie's time.
    mutating func rest(until end: Int64) -> [MovieRun] {
        isPaused = false
        releaseSound()
        return pictures.isEmpty ? [] : removeFragment(until: max(end, last + 1))
    }

    /// Returns the end of the last picture, shown for `interval` nanoseconds, in the movie's time.
    func end(_ interval: Int64) -> Int64 { last + max(interval, 1_000_000) }

    var isSilent: Bool { packetDuration == nil || isDeaf }

    private mutating func removeFragment(until end: Int64) -> [MovieRun] {
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
