// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// What of a movie is not yet a fragment. A fragment goes from a key frame to the next, with the sound of that time; where
/// none comes for long, as a camera that compresses by itself may have it, it ends before any picture.
struct ActiveMovie {
    /// Nanoseconds: what a power cut costs at the most, but for what is on its way.
    private static let longestFragment: Int64 = 1_200_000_000

    let order: MovieOrder
    let origin: Int64
    /// Whether one picture is all of it.
    let endsAtOnce: Bool
    /// In the files before this one, out of which the movie goes on in it: nanoseconds, and bytes.
    let earlierDuration: Int64
    let earlierBytes: Int
    /// Of pictures and sound, so far.
    private(set) var bytes = 0
    private var pictures: [EncodedSample] = []
    private var sound: [EncodedSample] = []
    /// Sound of which the next picture says whether it is in a pause: with the times that it came with.
    private var heldSound: [EncodedSample] = []
    /// When the last packet of sound begins, in the movie's time.
    private var lastSound: Int64?
    /// Of a packet of sound, nanoseconds; `nil` for a movie without.
    private let packetDuration: Int64?
    /// Whether what comes of sound is of another kind than the movie's.
    private var isDeaf = false
    private var last: Int64
    /// The first picture that was left out.
    private var pausedSince: Int64?
    private(set) var isPaused = false
    /// From the first picture that was left out to the first that was not.
    private var pauses: [Range<Int64>] = []
    /// How long they are in all.
    private var left: Int64 = 0

    /// - Parameters:
    ///   - packetDuration: of the sound, nanoseconds; `nil` for none.
    ///   - former: what it goes on out of, split at `origin`.
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

    /// Up to the last picture, pauses left out; nanoseconds.
    var duration: Int64 { last - origin }

    /// Whether its first picture has come.
    var hasPictures: Bool { !pictures.isEmpty }

    mutating func pause() { isPaused = true }

    mutating func resume() {
        isPaused = false
        // Not a picture was left out.
        if pausedSince == nil { releaseSound() }
    }

    /// Takes a picture in.
    ///
    /// - Returns: a fragment, when it begins another one; else nothing.
    mutating func add(_ sample: EncodedSample) -> [MovieRun] {
        if isPaused, pausedSince == nil {
            pausedSince = sample.time
            releaseSound()
        }
        if let since = pausedSince {
            // Until a key frame nothing that comes can be shown.
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
        return take(until: sample.time)
    }

    private mutating func endPause(_ since: Int64, at time: Int64) {
        pauses.append(since..<max(since, time))
        left += time - since
        pausedSince = nil
    }

    /// When something is in the movie that comes later than the pictures of its time; `nil` where it is left out.
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

    /// No sound that the movie could hold comes any more.
    mutating func endSound() { isDeaf = true }

    /// Takes sound in that comes before `end`, in the movie's time.
    ///
    /// - Returns: whether it does.
    mutating func addSound(_ packet: EncodedSample, until end: Int64) -> Bool {
        if let pausedSince, packet.time >= pausedSince { return false }
        if let time = place(of: packet.time), time >= end { return false }
        addSound(packet)
        return true
    }

    /// Takes sound in: what comes of it before the movie's beginning, or during a pause, is left out.
    mutating func addSound(_ packet: EncodedSample) {
        guard let packetDuration, !isDeaf else { return }
        if isUndecided(packet.time) { return heldSound.append(packet) }
        guard let time = place(of: packet.time), time >= origin else { return }
        // Where a pause was, one may begin in the midst of another.
        if let lastSound, time - lastSound < packetDuration / 2 { return }
        lastSound = time
        var packet = packet
        packet.time = time
        bytes += packet.bytes.count
        sound.append(packet)
    }

    /// Ends before a picture that is another movie's.
    ///
    /// - Parameter time: the picture's.
    /// - Returns: the end in this movie's time, and the sound from then on, which is the other's.
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

    /// The last fragment.
    ///
    /// - Parameter end: when its last picture is over, in the movie's time.
    mutating func rest(until end: Int64) -> [MovieRun] {
        isPaused = false
        releaseSound()
        return pictures.isEmpty ? [] : take(until: max(end, last + 1))
    }

    /// When its last picture is over, in the movie's time.
    ///
    /// - Parameter interval: how long that is shown, nanoseconds.
    func end(_ interval: Int64) -> Int64 { last + max(interval, 1_000_000) }

    /// Whether no sound that comes is in it.
    var isSilent: Bool { packetDuration == nil || isDeaf }

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
