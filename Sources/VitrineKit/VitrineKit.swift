// SPDX-License-Identifier: GPL-3.0-or-later

// One import for a program that captures, shows, records and stores pictures.
@_exported public import Capture
@_exported public import Display
@_exported public import Library
@_exported public import Media
@_exported public import Recording
