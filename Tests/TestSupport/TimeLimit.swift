// SPDX-License-Identifier: GPL-3.0-or-later

public import Testing

extension TimeLimitTrait.Duration {
    /// The time limit of every suite: it ends a test that hangs, and no busy machine reaches it.
    public static var common: Self { .minutes(20) }
}
