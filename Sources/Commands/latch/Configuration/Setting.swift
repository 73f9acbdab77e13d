// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchIdentity

/// A setting, named by its key in a file, by `LATCH_…` in the environment, and sometimes by an option.
typealias Setting = ConfigurationSetting<ServeConfiguration>

extension Setting {
    /// The default as text; empty if there is none.
    var standard: String { text(ServeConfiguration()) }

    /// The purpose and the default, as a hint.
    var meaning: String {
        let purpose = "'\(key)' means: \(summary)."
        return standard.isEmpty ? purpose : purpose + " The default is \(standard)."
    }

    var environmentName: String { "LATCH_" + key.uppercased() }

    /// Returns what is wrong in a text of this setting, and what is right.
    func error(_ problem: SettingProblem) -> CommandError {
        switch problem {
        case .expected(let expected): .failed("The setting '\(key)' must be \(expected).", hint: meaning)
        case .unusable(let reason): .failed("The setting '\(key)' cannot be used: \(reason).", hint: meaning)
        case .inTable(_, let reason, let member):
            .failed(
                "The setting '\(key)' cannot be used: \(reason).",
                hint: ServeConfiguration.settings.first { $0.key == member }.map {
                    "'\($0.key)' is a setting of the server: write it before the first table."
                } ?? meaning)
        case .stated(let sentence, let hint, _): .failed(sentence, hint: hint ?? meaning)
        }
    }
}

/// A secret that the service manager passes in a separate file.
struct SettingCredential: Sendable, Redacting {
    let path: String
    let text: String

    var description: String { "SettingCredential(\(path))" }
}

/// The source of a setting's value; later cases override earlier ones.
enum SettingSource: Sendable, Hashable, CustomStringConvertible {
    case standard
    /// A configuration file; the line is counted from 1, and nil for JSON.
    case file(path: String, line: Int?)
    /// An environment variable, by its full name `LATCH_…`.
    case environment(name: String)
    /// An option, by its long name without dashes.
    case flag(name: String)

    /// Whether it is a file of JSON.
    var isJSON: Bool {
        guard case .file(let path, _) = self else { return false }
        return ConfigurationFile.isJSON(path)
    }

    /// The source as it is shown to users.
    var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line): path.printable + (line.map { ":\($0)" } ?? "")
        case .environment(let name): name
        case .flag(let name): "--\(name)"
        }
    }
}
