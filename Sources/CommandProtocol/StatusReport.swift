// SPDX-License-Identifier: GPL-3.0-or-later

/// The appliance's state as `vitrine status --json` prints it. Keys are a contract: add, don't rename.
public struct StatusReport: Sendable, Codable, Equatable {
    /// Something that is wrong now.
    public struct Problem: Sendable, Codable, Equatable {
        /// A stable word; the README lists them.
        public var code: String
        /// For a person, often with the next step after `; next: `.
        public var message: String
        /// Of the given parts; nothing is checked.
        public init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }
    /// What a running camera delivers.
    public struct Format: Sendable, Codable, Equatable {
        /// What the camera itself delivers: V4L2's four characters, for example `YUYV`.
        public var pixelFormat: String
        /// In pixels.
        public var width: Int
        /// In pixels.
        public var height: Int
        /// To two decimals; 0 when the driver does not tell.
        public var framesPerSecond: Double
        /// Of the given parts; nothing is checked.
        public init(pixelFormat: String, width: Int, height: Int, framesPerSecond: Double) {
            self.pixelFormat = pixelFormat
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
        }
    }
    /// The camera, and what became of its frames since this configuration took effect.
    public struct Camera: Sendable, Codable, Equatable {
        /// The configuration's name for it; `nil` where it has none, or the program is older.
        public var id: String?
        /// Where it looks: front, back or external.
        public var position: String?
        /// What it calls itself; empty unless frames come.
        public var name = ""
        /// The device node, or the simulation's source; empty unless frames come.
        public var path = ""
        /// stopped, starting, running or interrupted.
        public var state = "stopped"
        /// `nil` unless frames come.
        public var format: Format?
        /// All that the driver gave, damaged ones included.
        public var framesCaptured = 0
        /// By cause, the README lists them; a cause without drops is there with 0.
        public var framesDropped: [String: Int] = [:]
        /// Streams started again because no frame came.
        public var streamRestarts = 0
        /// Frames whose timestamp could not be: by another clock than `CLOCK_MONOTONIC`, or before
        /// the last one's.
        public var framesRestamped = 0
        /// One that is stopped.
        public init() {}
    }
    /// Milliseconds, to a quarter and 300 at the most; old frames count less and less.
    public struct Latency: Sendable, Codable, Equatable {
        /// Half of the frames took no longer.
        public var p50: Double
        /// 99 of 100 frames took no longer.
        public var p99: Double
        /// `p50` is at most `p99`; nothing is checked.
        public init(p50: Double, p99: Double) {
            self.p50 = p50
            self.p99 = p99
        }
    }
    /// How the camera's frames reach the screen. Counts are since this
    /// configuration took effect.
    public struct Preview: Sendable, Codable, Equatable {
        /// As the kernel names it, for example `HDMI-A-1`; empty without a display.
        public var connector = ""
        /// Pixels and pictures per second, for example `1920x1080@60`; empty without a display.
        public var mode = ""
        /// exported, imported, decoded, converted or copied; empty without a picture.
        public var path = ""
        /// Camera frames that have reached the screen.
        public var framesShown = 0
        /// What the CPU writes for a frame on the screen; 0 when it is scanned out as it is.
        public var bytesCopiedPerFrame = 0
        /// From the frame's timestamp to the flip that showed it.
        public var latencyMilliseconds: Latency?
        /// By cause: frames that came and never reached it; of the first display ``Camera/framesDropped`` has them.
        public var framesDropped: [String: Int]?
        /// No display, and no frame shown.
        public init() {}
    }
    /// A button of the configuration.
    public struct Button: Sendable, Codable, Equatable {
        /// Its `name` in the configuration.
        public var name: String
        /// Since this configuration took effect, those by command included.
        public var presses: Int
        /// ready, pressed, missing, stuck or noisy.
        public var state: String
        /// Of the given parts; nothing is checked.
        public init(name: String, presses: Int, state: String) {
            self.name = name
            self.presses = presses
            self.state = state
        }
    }
    /// A lamp of the configuration, or the flash.
    public struct Lamp: Sendable, Codable, Equatable {
        /// ready, recording, fault or flash.
        public var name: String
        /// Whether it is lit now; one that is missing is not.
        public var on: Bool
        /// Of the given parts; nothing is checked.
        public init(name: String, on: Bool) {
            self.name = name
            self.on = on
        }
    }
    /// Originals that are taken in behind new photos.
    public struct Adoption: Sendable, Codable, Equatable {
        /// Files dealt with.
        public var done: Int
        /// Files in the folders that are looked through; grows while these are counted.
        public var total: Int
        /// Of the given parts; nothing is checked.
        public init(done: Int, total: Int) {
            self.done = done
            self.total = total
        }
    }
    /// Where the clips' sound comes from.
    public struct Microphone: Sendable, Codable, Equatable {
        /// The device that is open; empty while it is not wanted, or cannot be had.
        public var device: String
        /// The largest sample of late, in decibels below the loudest there is; -100 for silence.
        public var levelDecibels: Double
        /// How often samples were lost.
        public var overruns: Int
        /// Of the given parts; nothing is checked.
        public init(device: String, levelDecibels: Double, overruns: Int) {
            self.device = device
            self.levelDecibels = levelDecibels
            self.overruns = overruns
        }
    }
    /// The clip that is being recorded, and what became of frames on the way into clips.
    public struct Recording: Sendable, Codable, Equatable {
        /// Whether one is, or is about to be.
        public var active = false
        /// Of it so far, what the pre-roll had included; 0 when there is none.
        public var seconds = 0.0
        /// The same in bytes.
        public var bytes = 0
        /// Until it ends by itself, at its rate so far; `nil` when there is none, and before that is known.
        public var secondsLeft: Double?
        /// What a clip would have from before its press now.
        public var preRollSeconds = 0.0
        /// Memory for that.
        public var preRollBytes = 0
        /// Who compresses them; `nil` as long as nothing was.
        public var encoder: String?
        /// Frames that were compressed since this configuration took effect.
        public var framesEncoded = 0
        /// By cause: those that are missing in clips.
        public var framesDropped: [String: Int] = [:]
        /// `nil` where there is to be no sound.
        public var microphone: Microphone?
        /// None, and nothing so far.
        public init() {}
    }
    /// What was seen in the camera's pictures.
    public struct Detection: Sendable, Codable, Equatable {
        /// Something moved.
        public struct Motion: Sendable, Codable, Equatable {
            /// The share of the picture, above 0 to 1.
            public var score: Double
            /// When.
            public var secondsAgo: Double
            /// Of the given parts.
            public init(score: Double, secondsAgo: Double) {
                (self.score, self.secondsAgo) = (score, secondsAgo)
            }
        }
        /// A code that could be read.
        public struct Code: Sendable, Codable, Equatable {
            /// For example "QR-Code".
            public var symbology: String
            /// What it says.
            public var text: String
            /// When it was seen last.
            public var secondsAgo: Double
            /// Of the given parts.
            public init(symbology: String, text: String, secondsAgo: Double) {
                (self.symbology, self.text, self.secondsAgo) = (symbology, text, secondsAgo)
            }
        }
        /// Frames that were looked at since this configuration took effect.
        public var framesExamined = 0
        /// By cause: those that were due and were not looked at.
        public var framesDropped: [String: Int] = [:]
        /// The last one; `nil` for none so far.
        public var motion: Motion?
        /// The last one; `nil` for none so far.
        public var code: Code?
        /// Nothing so far.
        public init() {}
    }
    /// The timelapse that runs.
    public struct Timelapse: Sendable, Codable, Equatable {
        /// Whether one does.
        public var active = false
        /// Whether it is in its daily pause.
        public var paused = false
        /// In its movie.
        public var pictures = 0
        /// Pictures that should be, and for which the camera was not there.
        public var missed = 0
        /// Since it began.
        public var seconds = 0.0
        /// None.
        public init() {}
        /// Of the given parts.
        public init(active: Bool, paused: Bool, pictures: Int, missed: Int, seconds: Double) {
            (self.active, self.paused) = (active, paused)
            (self.pictures, self.missed, self.seconds) = (pictures, missed, seconds)
        }
    }
    /// The library's numbers; all are 0 while it cannot be asked.
    public struct LibraryState: Sendable, Codable, Equatable {
        /// Photos, videos and sounds.
        public var assets = 0
        /// Stills.
        public var photos = 0
        /// Clips.
        public var videos = 0
        /// Of all originals.
        public var bytes: Int64 = 0
        /// Free on the library's file system for an ordinary user, the reserve included.
        public var freeBytes: Int64 = 0
        /// No photo can be kept now; `problems` says why.
        public var degraded = false
        /// `nil` when all are in.
        public var adoption: Adoption?
        /// An empty library, and no room.
        public init() {}
    }
    /// Which configuration is in use, and what became of the last one that was asked for.
    public struct ConfigurationState: Sendable, Codable, Equatable {
        /// Where it was read from; empty for the defaults.
        public var file = ""
        /// good; trial: applied just now; rejected: another one was tried and what worked before did not
        /// come back; invalid: the file is wrong, the last good one is in use.
        public var state = "good"
        /// How often one was asked for since the start, wrong and unchanged ones included.
        public var revision = 0
        /// The defaults, and nothing applied yet.
        public init() {}
    }
    /// The wall clock.
    public struct ClockState: Sendable, Codable, Equatable {
        /// Whether something such as NTP keeps it right, as the kernel says (adjtimex(2)).
        public var synchronized: Bool
        /// Of what the kernel says.
        public init(synchronized: Bool) { self.synchronized = synchronized }
    }

    /// The program's.
    public var version: String
    /// `[board] name`; without one `host` for a simulated board, else what the firmware calls it.
    public var board: String
    /// starting, live, countdown, capturing, review, recording, fault or asleep.
    public var state: String
    /// Since the process started.
    public var uptimeSeconds: Double
    /// ok, degraded or failed.
    public var health: String
    /// In the order of their codes; empty when all is well.
    public var problems: [Problem]
    /// The one camera; `interrupted` while it cannot be had.
    public var camera = Camera()
    /// What the guest sees of the camera.
    public var preview = Preview()
    /// The same of the second display; `nil` where the configuration has none.
    public var secondDisplay: Preview?
    /// In the order of the configuration.
    public var buttons: [Button] = []
    /// Those that there are; `nil` only of an appliance that does not tell.
    public var lamps: [Lamp]?
    /// `nil` only of an appliance that does not tell.
    public var recording: Recording?
    /// `nil` where the program is older.
    public var timelapse: Timelapse?
    /// `nil` where nothing is looked for.
    public var detection: Detection?
    /// Where the photos are kept.
    public var library = LibraryState()
    /// `nil` only of an appliance that does not tell.
    public var configuration: ConfigurationState?
    /// Decides how far a photo's time is trusted.
    public var clock: ClockState

    /// The rest is as of an appliance that has nothing yet; nothing is checked.
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
