// SPDX-License-Identifier: GPL-3.0-or-later

/// What the person sees, as a value: equal scenes look the same.
public struct Scene: Sendable, Equatable {
    /// What lies behind everything else.
    public enum Background: Sendable, Equatable {
        /// The camera's picture.
        case preview
        /// Nothing: the camera's picture is covered.
        case black
    }

    /// Digits with a ring that runs out in whole steps.
    public struct Countdown: Sendable, Equatable {
        /// Whole seconds left, rounded up.
        public var digits: Int
        /// Steps of the ring that are left, 1…`steps`.
        public var step: Int
        /// Steps of the whole ring, at most 60.
        public var steps: Int

        /// A face of the countdown.
        public init(digits: Int, step: Int, steps: Int) {
            self.digits = digits
            self.step = step
            self.steps = steps
        }
    }

    /// A short message at the edge.
    public struct Notice: Sendable, Equatable {
        /// What colour and sign it bears.
        public enum Kind: String, Sendable, CaseIterable {
            /// It went well.
            case success
            /// Something is going on.
            case progress
            /// It did not go well.
            case failure
        }
        /// What kind of message it is.
        public var kind: Kind
        /// Its words.
        public var text: String

        /// A message.
        public init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// A photo from the library.
    public struct Review: Sendable, Equatable {
        /// The library's identifier, by which the caller finds the picture.
        public var assetID: String
        /// The file's name.
        public var fileName: String

        /// A photo.
        public init(assetID: String, fileName: String) {
            self.assetID = assetID
            self.fileName = fileName
        }
    }

    /// A movie is being recorded.
    public struct Recording: Sendable, Equatable {
        /// Steps of ``level``, of 6 dB each.
        public static let levelSteps = 8

        /// Whole seconds so far.
        public var elapsed: Int
        /// Whole seconds until it ends by itself; `nil` when it does not.
        public var remaining: Int?
        /// How loud it is, 0...``levelSteps``; `nil` without sound.
        public var level: Int?

        /// A face of it.
        public init(elapsed: Int, remaining: Int? = nil, level: Int? = nil) {
            self.elapsed = elapsed
            self.remaining = remaining
            self.level = level
        }

        /// The step of a largest sample, 0 to 1: half of the range is the last one.
        static func step(of sample: Double) -> Int {
            var (step, least) = (levelSteps, 0.5)
            while step > 0, sample < least { (step, least) = (step - 1, least / 2) }
            return step
        }
    }

    /// Something is wrong.
    public struct Fault: Sendable, Equatable {
        /// What, in a few words.
        public var title: String
        /// What to do, in one sentence.
        public var advice: String
        /// For the engineer: the problem's code and what is known of it.
        public var code: String

        /// A fault.
        public init(title: String, advice: String, code: String) {
            self.title = title
            self.advice = advice
            self.code = code
        }
    }

    /// What lies behind.
    public var background: Background
    /// An invitation to press.
    public var hint: String?
    /// The countdown.
    public var countdown: Countdown?
    /// A short message.
    public var notice: Notice?
    /// The photo just taken.
    public var review: Review?
    /// What is wrong.
    public var fault: Fault?
    /// One calm line in the middle, while starting.
    public var message: String?
    /// The movie that is being recorded.
    public var recording: Recording?

    /// A scene.
    public init(
        _ background: Background, hint: String? = nil, countdown: Countdown? = nil,
        notice: Notice? = nil, review: Review? = nil, fault: Fault? = nil, message: String? = nil
    ) {
        self.background = background
        self.hint = hint
        self.countdown = countdown
        self.notice = notice
        self.review = review
        self.fault = fault
        self.message = message
    }

    /// Whether there is nothing but the camera's picture.
    public var isBare: Bool { self == Scene(.preview) }
}
