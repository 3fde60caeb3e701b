// SPDX-License-Identifier: GPL-3.0-or-later

/// The appliance's state as `vitrine status --json` prints it. Keys are a contract: add, don't rename.
public struct StatusReport: Sendable, Codable, Equatable {
    public struct Problem: Sendable, Codable, Equatable {
        /// A stable word; the README lists them.
        public var code: String
        public var message: String
        public init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }
    public struct Format: Sendable, Codable, Equatable {
        public var pixelFormat: String
        public var width: Int
        public var height: Int
        public var framesPerSecond: Double
        public init(pixelFormat: String, width: Int, height: Int, framesPerSecond: Double) {
            self.pixelFormat = pixelFormat
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
        }
    }
    public struct Camera: Sendable, Codable, Equatable {
        public var name = ""
        public var path = ""
        /// stopped, starting, running or interrupted.
        public var state = "stopped"
        public var format: Format?
        public var framesCaptured = 0
        public var framesDropped: [String: Int] = [:]
        /// Streams started again because no frame came.
        public var streamRestarts = 0
        /// Frames stamped by another clock than `CLOCK_MONOTONIC`, and anew on arrival.
        public var framesRestamped = 0
        public init() {}
    }
    public struct Latency: Sendable, Codable, Equatable {
        public var p50: Double
        public var p99: Double
        public init(p50: Double, p99: Double) {
            self.p50 = p50
            self.p99 = p99
        }
    }
    public struct Preview: Sendable, Codable, Equatable {
        public var connector = ""
        public var mode = ""
        /// exported, imported, decoded, converted or copied; empty without a picture.
        public var path = ""
        public var framesShown = 0
        public var bytesCopiedPerFrame = 0
        /// From the frame's timestamp to the flip that showed it.
        public var latencyMilliseconds: Latency?
        public init() {}
    }
    public struct Button: Sendable, Codable, Equatable {
        public var name: String
        public var presses: Int
        public var state: String
        public init(name: String, presses: Int, state: String) {
            self.name = name
            self.presses = presses
            self.state = state
        }
    }
    /// Originals that are taken in behind new photos.
    public struct Adoption: Sendable, Codable, Equatable {
        public var done: Int
        public var total: Int
        public init(done: Int, total: Int) {
            self.done = done
            self.total = total
        }
    }
    public struct LibraryState: Sendable, Codable, Equatable {
        public var assets = 0
        public var photos = 0
        public var videos = 0
        public var bytes: Int64 = 0
        public var freeBytes: Int64 = 0
        public var degraded = false
        /// `nil` when all are in.
        public var adoption: Adoption?
        public init() {}
    }
    public struct ConfigurationState: Sendable, Codable, Equatable {
        /// Where it was read from; empty for the defaults.
        public var file = ""
        /// good; trial: applied just now; rejected: another one was tried and what worked before did not
        /// come back; invalid: the file is wrong, the last good one is in use.
        public var state = "good"
        /// Counts what was applied since the start.
        public var revision = 0
        public init() {}
    }
    public struct ClockState: Sendable, Codable, Equatable {
        public var synchronized: Bool
        public init(synchronized: Bool) { self.synchronized = synchronized }
    }

    public var version: String
    public var board: String
    /// starting, live, countdown, capturing, review, fault or asleep.
    public var state: String
    public var uptimeSeconds: Double
    /// ok, degraded or failed.
    public var health: String
    public var problems: [Problem]
    public var camera = Camera()
    public var preview = Preview()
    public var buttons: [Button] = []
    public var library = LibraryState()
    public var configuration: ConfigurationState?
    public var clock: ClockState

    public init(
        version: String, board: String, state: String, uptimeSeconds: Double, health: String,
        problems: [Problem], clock: ClockState
    ) {
        self.version = version
        self.board = board
        self.state = state
        self.uptimeSeconds = uptimeSeconds
        self.health = health
        self.problems = problems
        self.clock = clock
    }
}
