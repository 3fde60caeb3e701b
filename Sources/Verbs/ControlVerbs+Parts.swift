// SPDX-License-Identifier: GPL-3.0-or-later

package import Controls
package import Devices
package import Kiosk
package import LibraryService
package import Photography
package import Screens

extension ControlVerbs {
    /// The parts that the verbs use.
    package struct Parts: Sendable {
        let board: Board
        let kiosk: KioskRunner
        let camera: CameraSupervisor
        let displays: [DisplaySupervisor]
        let buttons: ButtonBoard
        let flash: OutputLine?
        let presses: PressHandler
        let reserver: FrameReserver
        let photographer: Photographer
        let brackets: BracketRecorder
        let movies: MovieRecorder
        let timelapse: TimelapseRecorder
        let library: LibrarySupervisor

        package init(
            board: Board, kiosk: KioskRunner, camera: CameraSupervisor,
            displays: [DisplaySupervisor], buttons: ButtonBoard, flash: OutputLine?,
            presses: PressHandler, reserver: FrameReserver, photographer: Photographer,
            brackets: BracketRecorder, movies: MovieRecorder, timelapse: TimelapseRecorder,
            library: LibrarySupervisor
        ) {
            self.board = board
            self.kiosk = kiosk
            self.camera = camera
            self.displays = displays
            self.buttons = buttons
            self.flash = flash
            self.presses = presses
            self.reserver = reserver
            self.photographer = photographer
            self.brackets = brackets
            self.movies = movies
            self.timelapse = timelapse
            self.library = library
        }
    }
}
