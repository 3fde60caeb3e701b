// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// The content of a display besides the camera's picture.
package protocol DisplayContent: Sendable {
    /// The display is connected, or its size has changed.
    func displayAppeared(_ size: Dimensions) async
    func displayDisappeared() async
    /// The camera's picture has appeared on the display, or is missing for a while.
    func videoChanged(isShown: Bool) async
}
