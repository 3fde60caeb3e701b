// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import Controls
package import Devices
package import Kiosk
package import LibraryService
package import Network
package import Photography
package import Screens
package import Viewing

/// The parts of a running kiosk that are examined, reported and commanded.
package struct KioskParts: Sendable {
    package let board: Board
    package let kiosk: KioskRunner
    package let session: CaptureSession
    package let camera: CameraSupervisor
    /// The display with the kiosk's texts, then the second one if it is configured.
    package let displays: [DisplaySupervisor]
    package let buttons: ButtonBoard
    package let presses: PressHandler
    package let lamps: Lamps
    package let flash: OutputLine?
    /// The lamps and the flash.
    package let outputs: [OutputLine]
    /// The microphone of clips; `nil` if they have no sound.
    package let microphone: Microphone?
    package let reserver: FrameReserver
    package let photographer: Photographer
    package let movies: MovieRecorder
    package let timelapse: TimelapseRecorder
    /// Searches the pictures for motion and codes; `nil` if nothing is searched for.
    package let watcher: SceneWatcher?
    package let library: LibrarySupervisor
    package let pictures: LibraryPictures
    /// Opens URLs through the sync service.
    package let loader: ResourceLoader
    package let viewer: Viewer
    package let syncDesk: SyncDesk
    package let problems: ProblemCollector

    package init(
        board: Board, kiosk: KioskRunner, session: CaptureSession, camera: CameraSupervisor,
        displays: [DisplaySupervisor], buttons: ButtonBoard, presses: PressHandler, lamps: Lamps,
        flash: OutputLine?, outputs: [OutputLine], microphone: Microphone?,
        reserver: FrameReserver, photographer: Photographer, movies: MovieRecorder,
        timelapse: TimelapseRecorder, watcher: SceneWatcher?, library: LibrarySupervisor,
        pictures: LibraryPictures, loader: ResourceLoader, viewer: Viewer, syncDesk: SyncDesk,
        problems: ProblemCollector
    ) {
        self.board = board
        self.kiosk = kiosk
        self.session = session
        self.camera = camera
        self.displays = displays
        self.buttons = buttons
        self.presses = presses
        self.lamps = lamps
        self.flash = flash
        self.outputs = outputs
        self.microphone = microphone
        self.reserver = reserver
        self.photographer = photographer
        self.movies = movies
        self.timelapse = timelapse
        self.watcher = watcher
        self.library = library
        self.pictures = pictures
        self.loader = loader
        self.viewer = viewer
        self.syncDesk = syncDesk
        self.problems = problems
    }
}
