// SPDX-License-Identifier: GPL-3.0-or-later

/// The program's arguments in a form that ArgumentParser can read.
enum CommandLineText {
    static var arguments: [String] { separated(Array(CommandLine.arguments.dropFirst())) }

    /// Splits `--option=value` in two if the value begins with a scalar that combines with the `=`,
    /// such as a combining mark or variation selector: ArgumentParser searches for the character
    /// `=`, and would not find it. Arguments after `--` stay unchanged.
    static func separated(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].flatMap(separated) + arguments[end...]
    }

    private static func separated(_ argument: String) -> [String] {
        guard argument.hasPrefix("--"),
            let sign = argument.unicodeScalars.firstIndex(of: "="),
            argument.firstIndex(of: "=") != sign
        else { return [argument] }
        let value = argument.unicodeScalars.index(after: sign)
        return [String(argument[..<sign]), String(argument[value...])]
    }
}
