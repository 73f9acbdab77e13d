// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchIdentity

/// A setting, named by its key in a file, by `LATCH_…` in the environment, and sometimes by an option.
struct Setting: Sendable {
    /// The key in a file.
    let key: String
    /// The default value; empty if there is none.
    let standard: String
    /// The purpose, in one line.
    let summary: String
    /// Whether its value must not be shown.
    let isSecret: Bool
    /// Whether the service manager may pass its value in a separate file: a secret, or a URI that may contain a
    /// password.
    let isCredential: Bool
    /// Validates a text.
    let validate: @Sendable (_ text: String) throws -> Void

    /// Creates a setting.
    init(
        _ key: String, _ standard: String, _ summary: String, isSecret: Bool = false, isCredential: Bool? = nil,
        validate: @escaping @Sendable (String) throws -> Void
    ) {
        self.key = key
        self.standard = standard
        self.summary = summary
        self.isSecret = isSecret
        self.isCredential = isCredential ?? isSecret
        self.validate = validate
    }

    /// The purpose and the default, as a hint.
    var meaning: String {
        let purpose = "'\(key)' means: \(summary)."
        return standard.isEmpty ? purpose : purpose + " The default is \(standard)."
    }

    /// The name in the environment.
    var environmentName: String { "LATCH_" + key.uppercased() }

    /// All settings of the server.
    ///
    /// A setting of the auth server is validated by a configuration with only this value.
    static let all: [Setting] =
        ServerSetting.all
        + IdentitySetting.all.map { setting in
            Setting(
                setting.key, setting.shown(in: IdentityConfiguration()), setting.summary, isSecret: setting.isSecret
            ) { text in
                _ = try IdentityConfiguration(values: [setting.key: text]).mailer()
                if setting.key == "admin_listen", !text.isEmpty { _ = try ListenAddress(text) }
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

    /// The source as it is shown to users.
    var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let line): path + (line.map { ":\($0)" } ?? "")
        case .environment(let name): name
        case .flag(let name): "--\(name)"
        }
    }
}
