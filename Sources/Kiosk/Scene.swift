// SPDX-License-Identifier: GPL-3.0-or-later

/// The content of the screen, as a value: equal scenes look the same.
public struct Scene: Sendable, Equatable {
    /// The layer behind everything else.
    public enum Background: Sendable, Equatable {
        /// The camera's picture.
        case preview
        /// Black, which covers the camera's picture.
        case black
    }

    /// The digits of a countdown, with a ring that shrinks in whole steps.
    public struct Countdown: Sendable, Equatable {
        /// Whole seconds left, rounded up.
        public var digits: Int
        /// The remaining steps of the ring, 1…`steps`.
        public var step: Int
        /// The steps of the whole ring, at most 60.
        public var steps: Int

        /// Creates one step of a countdown.
        public init(digits: Int, step: Int, steps: Int) {
            self.digits = digits
            self.step = step
            self.steps = steps
        }
    }

    /// A short message at the edge of the screen.
    public struct Notice: Sendable, Equatable {
        /// The kind of a message, which determines its colour and symbol.
        public enum Kind: String, Sendable, CaseIterable {
            /// It went well.
            case success
            /// Something is in progress.
            case progress
            /// It did not go well.
            case failure
        }
        /// The kind of the message.
        public var kind: Kind
        /// The text of the message.
        public var text: String

        /// Creates a message.
        public init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// The review of a photo from the library.
    public struct Review: Sendable, Equatable {
        /// The library's identifier, by which the owner finds the picture.
        public var assetID: String
        /// The file's name.
        public var fileName: String

        /// Creates a review.
        public init(assetID: String, fileName: String) {
            self.assetID = assetID
            self.fileName = fileName
        }
    }

    /// The indicator of a running movie.
    public struct Recording: Sendable, Equatable {
        /// The number of steps of ``level``, of 6 dB each.
        public static let levelSteps = 8

        /// Whole seconds recorded so far.
        public var elapsed: Int
        /// Whole seconds until the movie ends by itself; `nil` if it does not.
        public var remaining: Int?
        /// The sound level, 0...``levelSteps``; `nil` without sound.
        public var level: Int?

        /// Creates an indicator.
        public init(elapsed: Int, remaining: Int? = nil, level: Int? = nil) {
            self.elapsed = elapsed
            self.remaining = remaining
            self.level = level
        }

        /// Returns the step for a largest sample of 0 to 1; 0.5 and more give the last step.
        static func step(of sample: Double) -> Int {
            var (step, least) = (levelSteps, 0.5)
            while step > 0, sample < least { (step, least) = (step - 1, least / 2) }
            return step
        }
    }

    /// The view of a photo, a clip or other media.
    public struct Viewing: Sendable, Equatable {
        /// The place in a row of photos and clips.
        public struct Place: Sendable, Equatable {
            /// The number, from 1.
            public var number: Int
            /// The number of all.
            public var count: Int

            /// Creates a place; nothing is checked.
            public init(number: Int, count: Int) { (self.number, self.count) = (number, count) }
        }

        /// The progress of media that move.
        public struct Progress: Sendable, Equatable {
            /// The number of steps of ``step``.
            public static let steps = 240

            /// Whole seconds from the beginning.
            public var elapsed: Int
            /// Whole seconds of the media; `nil` if they are unknown or have no end.
            public var duration: Int?
            /// The part that was played, 0...``steps``; `nil` without a duration.
            public var step: Int?
            /// Whether the media happen now.
            public var isLive: Bool
            /// Whether somebody has paused them.
            public var isPaused: Bool

            /// Creates a progress.
            public init(
                elapsed: Int, duration: Int? = nil, step: Int? = nil, isLive: Bool = false,
                isPaused: Bool = false
            ) {
                self.elapsed = elapsed
                self.duration = duration
                self.step = step
                self.isLive = isLive
                self.isPaused = isPaused
            }
        }

        /// The number of pictures side by side in a filmstrip.
        public static let filmstripPictures = 10

        /// The title; may be empty.
        public var title: String
        /// The identifier by which the owner finds the photo, or the cover of sound; `nil` while
        /// the screen's playback is seen.
        public var picture: String?
        /// The identifier by which the owner finds the pictures of the scrub bar; `nil` for none.
        public var filmstrip: String?
        /// The place in the visit; `nil` outside of one.
        public var place: Place?
        /// The progress; `nil` for a photo.
        public var progress: Progress?

        /// Whether it changes by itself.
        public var isMoving: Bool { progress.map { !$0.isPaused } ?? false }

        /// Creates a view.
        public init(
            title: String, picture: String? = nil, filmstrip: String? = nil, place: Place? = nil,
            progress: Progress? = nil
        ) {
            self.title = title
            self.picture = picture
            self.filmstrip = filmstrip
            self.place = place
            self.progress = progress
        }
    }

    /// The message about a problem.
    public struct Fault: Sendable, Equatable {
        /// The problem, in a few words.
        public var title: String
        /// The remedy, in one sentence.
        public var advice: String
        /// The problem's code and detail, for the engineer.
        public var code: String

        /// The assets that wait for their copies at a remote, for the engineer; `nil` if none do.
        public var copies: String?

        /// Creates a message about a problem.
        public init(title: String, advice: String, code: String, copies: String? = nil) {
            self.title = title
            self.advice = advice
            self.code = code
            self.copies = copies
        }
    }

    /// The layer behind everything else.
    public var background: Background
    /// An invitation to press.
    public var hint: String?
    /// The countdown.
    public var countdown: Countdown?
    /// A short message.
    public var notice: Notice?
    /// The photo that was just taken.
    public var review: Review?
    /// The problem that the screen explains.
    public var fault: Fault?
    /// One calm line in the middle of the screen, while the kiosk starts.
    public var message: String?
    /// The movie being recorded.
    public var recording: Recording?
    /// The view that replaces the live picture.
    public var viewing: Viewing?

    /// Creates a scene.
    public init(
        _ background: Background, hint: String? = nil, countdown: Countdown? = nil,
        notice: Notice? = nil, review: Review? = nil, fault: Fault? = nil, message: String? = nil,
        viewing: Viewing? = nil
    ) {
        self.background = background
        self.hint = hint
        self.countdown = countdown
        self.notice = notice
        self.review = review
        self.fault = fault
        self.message = message
        self.viewing = viewing
    }

    /// Whether the scene shows nothing but the camera's picture.
    public var isBare: Bool { self == Scene(.preview) }
}
