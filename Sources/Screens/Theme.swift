// SPDX-License-Identifier: GPL-3.0-or-later

public import Drawing

/// The colours and fonts of the screens.
public struct Theme: Sendable, Equatable {
    /// The colour of letters and signs.
    public var foreground = Color.white
    /// The colour of signs for the engineer.
    public var faint = Color(0x85878B)
    /// The shade behind letters on a picture.
    public var glass = Color(0x0B0D11, alpha: 0.62)
    /// The shade behind the countdown, where people look at themselves.
    public var veil = Color(0x0B0D11, alpha: 0.52)
    /// The top of screens without a picture.
    public var backdropTop = Color(0x20242C)
    /// The bottom of screens without a picture.
    public var backdropBottom = Color(0x0C0E12)
    /// The shade over a picture that a fault makes useless.
    public var scrim = Color(0x0C0E12, alpha: 0.88)
    /// The colour of success.
    public var success = Color(0x30C85E)
    /// The colour of failure.
    public var failure = Color(0xFF9F0A)
    /// The colour of recording and of too loud a sound.
    public var recording = Color(0xFF3B30)
    /// The font families; see ``TextStyle/family``.
    public var family = TextStyle.defaultFamily

    /// Creates the default theme: white on dark glass.
    public init() {}
}
