// SPDX-License-Identifier: GPL-3.0-or-later

public import Testing

extension TimeLimitTrait.Duration {
    /// The time limit of every suite. It ends a test that hangs; even a busy machine does not reach
    /// it.
    public static var common: Self { .minutes(20) }
}
