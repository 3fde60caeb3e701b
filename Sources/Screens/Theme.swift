// SPDX-License-Identifier: GPL-3.0-or-later

public import Drawing

/// Colours and fonts of the screens.
public struct Theme: Sendable, Equatable {
    /// Letters and signs.
    public var foreground = Color.white
    /// Behind letters that lie on a picture.
    public var glass = Color(0x0B0D11, alpha: 0.62)
    /// Behind the countdown, where people look at themselves.
    public var veil = Color(0x0B0D11, alpha: 0.52)
    /// Screens without a picture, at the top.
    public var backdropTop = Color(0x20242C)
    /// Screens without a picture, at the bottom.
    public var backdropBottom = Color(0x0C0E12)
    /// Over a picture that a fault makes useless.
    public var scrim = Color(0x0C0E12, alpha: 0.88)
    /// It went well.
    public var success = Color(0x30C85E)
    /// It did not go well.
    public var failure = Color(0xFF9F0A)
    /// Something is being recorded.
    public var recording = Color(0xFF3B30)
    /// Font families, as in ``TextStyle/family``.
    public var family = TextStyle.defaultFamily

    /// The defaults: white on dark glass.
    public init() {}
}
