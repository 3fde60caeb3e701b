// SPDX-License-Identifier: GPL-3.0-or-later

/// The appliance's state as `vitrine status --json` prints it. The keys are a contract: new ones
/// may be added, none renamed.
public struct StatusReport: Sendable, Codable, Equatable {
    /// A current problem.
    public struct Problem: Sendable, Codable, Equatable {
        /// A stable code; the page `guide/troubleshooting` lists them.
        public var code: String
        /// A message for a person, often with the next step after `; next: `.
        public var message: String
        /// Creates a problem.
        public init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }
    /// The format that a running camera delivers.
    public struct Format: Sendable, Codable, Equatable {
        /// The camera's own pixel format as V4L2's four characters, for example `YUYV`.
        public var pixelFormat: String
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// Frames per second to two decimals; 0 if the driver does not report them.
        public var framesPerSecond: Double
        /// Creates a format.
        public init(pixelFormat: String, width: Int, height: Int, framesPerSecond: Double) {
            self.pixelFormat = pixelFormat
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
        }
    }
    /// The camera, with counts since this configuration took effect.
    public struct Camera: Sendable, Codable, Equatable {
        /// The camera's name in the configuration; `nil` without one, or from an older program.
        public var id: String?
        /// The side that the camera faces: front, back or external.
        public var position: String?
        /// The device's own name; empty unless frames arrive.
        public var name = ""
        /// The device node or the simulation's source; empty unless frames arrive.
        public var path = ""
        /// The state: stopped, starting, running or interrupted.
        public var state = "stopped"
        /// The format; `nil` unless frames arrive.
        public var format: Format?
        /// Frames from the driver, damaged ones included.
        public var framesCaptured = 0
        /// Dropped frames by cause. Every cause that the page `reference/status` lists is present,
        /// also with 0.
        public var framesDropped: [String: Int] = [:]
        /// Stream restarts because no frame came.
        public var streamRestarts = 0
        /// Frames with an impossible timestamp: from another clock than `CLOCK_MONOTONIC`, or
        /// earlier than the previous frame's.
        public var framesRestamped = 0
        /// A stopped camera.
        public init() {}
    }
    /// Latency percentiles in milliseconds, in steps of 0.25 up to 300. Older frames count less.
    public struct Latency: Sendable, Codable, Equatable {
        /// The median.
        public var p50: Double
        /// The 99th percentile.
        public var p99: Double
        /// Creates percentiles; `p50` must not exceed `p99`.
        public init(p50: Double, p99: Double) {
            self.p50 = p50
            self.p99 = p99
        }
    }
    /// The path of frames to a screen, with counts since this configuration took effect.
    public struct Preview: Sendable, Codable, Equatable {
        /// The kernel's name of the connector, for example `HDMI-A-1`; empty without a display.
        public var connector = ""
        /// The pixels and refresh rate, for example `1920x1080@60`; empty without a display.
        public var mode = ""
        /// The memory path: exported, imported, decoded, converted or copied; empty without a
        /// picture.
        public var path = ""
        /// Camera frames that reached the screen.
        public var framesShown = 0
        /// Bytes that the CPU writes per frame; 0 if the display scans out the camera's own buffer.
        public var bytesCopiedPerFrame = 0
        /// The latency from a frame's timestamp to the page flip that shows it.
        public var latencyMilliseconds: Latency?
        /// Frames that did not reach the screen, by cause; for the first display see
        /// ``Camera/framesDropped``.
        public var framesDropped: [String: Int]?
        /// A preview without a display.
        public init() {}
    }
    /// A button of the configuration.
    public struct Button: Sendable, Codable, Equatable {
        /// The button's name in the configuration.
        public var name: String
        /// Presses since this configuration took effect, including those by commands.
        public var presses: Int
        /// The state: ready, pressed, missing, stuck or noisy.
        public var state: String
        /// Creates a button.
        public init(name: String, presses: Int, state: String) {
            self.name = name
            self.presses = presses
            self.state = state
        }
    }
    /// A lamp of the configuration, or the flash.
    public struct Lamp: Sendable, Codable, Equatable {
        /// The name: ready, recording, fault or flash.
        public var name: String
        /// Whether the lamp is lit now; a missing lamp is not.
        public var on: Bool
        /// Creates a lamp.
        public init(name: String, on: Bool) {
            self.name = name
            self.on = on
        }
    }
    /// The progress of adopting originals that are not in the database.
    public struct Adoption: Sendable, Codable, Equatable {
        /// Files that have been processed.
        public var done: Int
        /// Files in the scanned folders; the number grows while they are counted.
        public var total: Int
        /// Creates a progress.
        public init(done: Int, total: Int) {
            self.done = done
            self.total = total
        }
    }
    /// The source of the clips' sound.
    public struct Microphone: Sendable, Codable, Equatable {
        /// The open device; empty if it is not needed or not available.
        public var device: String
        /// The recent peak, in decibels relative to full scale; -100 for silence.
        public var levelDecibels: Double
        /// The number of times that samples were lost.
        public var overruns: Int
        /// Creates a microphone.
        public init(device: String, levelDecibels: Double, overruns: Int) {
            self.device = device
            self.levelDecibels = levelDecibels
            self.overruns = overruns
        }
    }
    /// The current clip, and counts of the frames for clips.
    public struct Recording: Sendable, Codable, Equatable {
        /// Whether a clip is being recorded or has been ordered.
        public var active = false
        /// The length of the clip so far, including its pre-roll; 0 without a clip.
        public var seconds = 0.0
        /// The size of the clip so far; 0 without a clip.
        public var bytes = 0
        /// The estimated time until the clip ends by itself; `nil` without a clip or while unknown.
        public var secondsLeft: Double?
        /// The length of the pre-roll that a clip would have now.
        public var preRollSeconds = 0.0
        /// The memory that the pre-roll uses.
        public var preRollBytes = 0
        /// The encoder; `nil` until something has been encoded.
        public var encoder: String?
        /// Frames encoded since this configuration took effect.
        public var framesEncoded = 0
        /// Frames that are missing in clips, by cause.
        public var framesDropped: [String: Int] = [:]
        /// The microphone; `nil` if clips have no sound.
        public var microphone: Microphone?
        /// No clip, and all counts zero.
        public init() {}
    }
    /// The results of analysing the camera's pictures.
    public struct Detection: Sendable, Codable, Equatable {
        /// A movement.
        public struct Motion: Sendable, Codable, Equatable {
            /// The share of the picture that changed, above 0 up to 1.
            public var score: Double
            /// The time since the movement.
            public var secondsAgo: Double
            /// Creates a movement.
            public init(score: Double, secondsAgo: Double) {
                (self.score, self.secondsAgo) = (score, secondsAgo)
            }
        }
        /// A code that was read.
        public struct Code: Sendable, Codable, Equatable {
            /// The kind of code, for example "QR-Code".
            public var symbology: String
            /// The content of the code.
            public var text: String
            /// The time since the code was last seen.
            public var secondsAgo: Double
            /// Creates a code.
            public init(symbology: String, text: String, secondsAgo: Double) {
                (self.symbology, self.text, self.secondsAgo) = (symbology, text, secondsAgo)
            }
        }
        /// Frames examined since this configuration took effect.
        public var framesExamined = 0
        /// Frames that were due but not examined, by cause.
        public var framesDropped: [String: Int] = [:]
        /// The last movement, if any.
        public var motion: Motion?
        /// The last code, if any.
        public var code: Code?
        /// No results.
        public init() {}
    }
    /// The running timelapse.
    public struct Timelapse: Sendable, Codable, Equatable {
        /// Whether a timelapse is running.
        public var active = false
        /// Whether the timelapse is in its daily pause.
        public var paused = false
        /// The pictures in its movie.
        public var pictures = 0
        /// The pictures that are missing because the camera was not available.
        public var missed = 0
        /// The time since it began.
        public var seconds = 0.0
        /// No timelapse.
        public init() {}
        /// Creates a timelapse.
        public init(active: Bool, paused: Bool, pictures: Int, missed: Int, seconds: Double) {
            (self.active, self.paused) = (active, paused)
            (self.pictures, self.missed, self.seconds) = (pictures, missed, seconds)
        }
    }
    /// The library's numbers; all are 0 while it does not answer.
    public struct LibraryState: Sendable, Codable, Equatable {
        /// Photos, videos and sounds.
        public var assets = 0
        /// Stills.
        public var photos = 0
        /// Clips.
        public var videos = 0
        /// The size of all originals.
        public var bytes: Int64 = 0
        /// Free space on the library's file system for ordinary users, including the reserve.
        public var freeBytes: Int64 = 0
        /// Whether no photo can be stored now; `problems` says why.
        public var degraded = false
        /// The adoption in progress; `nil` if there is none.
        public var adoption: Adoption?
        /// An empty library without free space.
        public init() {}
    }
    /// The copies at a remote.
    public struct Sync: Sendable, Codable, Equatable {
        /// Why the last run failed.
        public struct Failure: Sendable, Codable, Equatable {
            /// A stable code; the page `guide/sync` lists them.
            public var code: String
            /// A message for a person.
            public var message: String
            /// The next step for a person.
            public var next: String
            /// Creates a failure.
            public init(code: String, message: String, next: String) {
                (self.code, self.message, self.next) = (code, message, next)
            }
        }
        /// The state: off, stopped, idle, waiting, sending, paused, outsideWindow, offline,
        /// waitingForDisk or failing.
        public var state = "off"
        /// Assets that the remote does not have; without a remote, all assets.
        public var pending = 0
        /// How long the oldest of them has waited; `nil` if none waits.
        public var oldestPendingSeconds: Int64?
        /// The size of these assets.
        public var bytesPending: Int64 = 0
        /// When an object was last verified; `nil` if none was.
        public var lastSuccess: String?
        /// Why the last run failed; `nil` if it did not.
        public var lastError: Failure?
        /// The time until the next run; `nil` if none is planned.
        public var nextRunSeconds: Int?
        /// No remote.
        public init() {}

        /// The assets that wait, for a person, such as "12 waiting, oldest 3 h"; `nil` if none do.
        package var waiting: String? {
            guard pending > 0 else { return nil }
            guard let seconds = oldestPendingSeconds else { return "\(pending) waiting" }
            let age =
                switch seconds {
                case ..<120: "\(seconds) s"
                case ..<7200: "\(seconds / 60) min"
                case ..<172_800: "\(seconds / 3600) h"
                default: "\(seconds / 86_400) d"
                }
            return "\(pending) waiting, oldest \(age)"
        }
    }
    /// The configuration in use, and the outcome of the last attempt to apply one.
    public struct ConfigurationState: Sendable, Codable, Equatable {
        /// The file of the configuration; empty for the defaults.
        public var file = ""
        /// The state:
        /// - good: in use.
        /// - trial: applied just now.
        /// - rejected: another one was tried, and something that worked before did not return.
        /// - invalid: the file is wrong, and the last good configuration is in use.
        public var state = "good"
        /// Attempts to apply a configuration since the start, including invalid and unchanged ones.
        public var revision = 0
        /// The defaults, before any attempt to apply a file.
        public init() {}
    }
    /// The wall clock.
    public struct ClockState: Sendable, Codable, Equatable {
        /// Whether the kernel reports a synchronized clock, for example by NTP (adjtimex(2)).
        public var synchronized: Bool
        /// Creates a state.
        public init(synchronized: Bool) { self.synchronized = synchronized }
    }

    /// The program's version.
    public var version: String
    /// The configuration's `[board] name`. If that is empty: `host` for a simulated board,
    /// otherwise the firmware's name for the machine.
    public var board: String
    /// The state: starting, live, countdown, capturing, review, recording, fault or asleep.
    public var state: String
    /// The time since the process started.
    public var uptimeSeconds: Double
    /// The health: ok, degraded or failed.
    public var health: String
    /// The problems, sorted by code; empty if there are none.
    public var problems: [Problem]
    /// The camera in use; its state is `interrupted` while it is not available.
    public var camera = Camera()
    /// The preview on the first display.
    public var preview = Preview()
    /// The preview on the second display; `nil` if the configuration has none.
    public var secondDisplay: Preview?
    /// The buttons, in the order of the configuration.
    public var buttons: [Button] = []
    /// The lamps; `nil` only from an older appliance.
    public var lamps: [Lamp]?
    /// The recording; `nil` only from an older appliance.
    public var recording: Recording?
    /// The timelapse; `nil` only from an older appliance.
    public var timelapse: Timelapse?
    /// The detection; `nil` if the configuration enables none.
    public var detection: Detection?
    /// The library.
    public var library = LibraryState()
    /// The copies at a remote; `nil` only from an older appliance.
    public var sync: Sync?
    /// The configuration; `nil` only from an older appliance.
    public var configuration: ConfigurationState?
    /// The wall clock, which decides how far the time of a photo is trusted.
    public var clock: ClockState

    /// Creates a report of an appliance that has nothing yet apart from these values.
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
