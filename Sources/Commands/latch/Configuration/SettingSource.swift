// SPDX-License-Identifier: Apache-2.0

/// Where the value of a setting comes from; the later ones of these win.
enum SettingSource: Sendable, Hashable {
    case standard
    /// The line is counted from 1, and missing for JSON.
    case file(path: String, line: Int?)
    /// The whole name, `LATCH_…`.
    case environment(name: String)
    /// The long name without its dashes.
    case flag(name: String)
}

extension SettingSource: CustomStringConvertible {
    /// The place, as a person would look for it.
    var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line): path + (line.map { ":\($0)" } ?? "")
        case .environment(let name): name
        case .flag(let name): "--\(name)"
        }
    }
}
