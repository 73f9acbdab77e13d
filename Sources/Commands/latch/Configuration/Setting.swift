// SPDX-License-Identifier: Apache-2.0

import LatchIdentity

/// A setting, named by its key in a file, by `LATCH_…` in the environment, and sometimes by an option.
struct Setting: Sendable {
    /// The key in a file.
    let key: String
    /// The purpose, in one line.
    let summary: String
    /// Whether its value must not be shown.
    let isSecret: Bool
    /// The default value; empty where there is none.
    let standard: String
    /// Validates a text; returns nil for a valid one.
    let problem: @Sendable (_ text: String) -> (any Error)?

    /// The name in the environment.
    var environmentName: String { "LATCH_" + key.uppercased() }
}

extension Setting {
    /// Every setting of the server.
    static let all: [Setting] = ServerSetting.all + IdentitySetting.all.map(Setting.init)

    /// Creates a setting of the auth server, validated by making a configuration and the mailer of this value alone.
    private init(_ setting: IdentitySetting) {
        self.init(
            key: setting.key, summary: setting.summary, isSecret: setting.isSecret,
            standard: setting.shown(in: IdentityConfiguration()),
            problem: { text in
                do throws(IdentityError) {
                    _ = try IdentityConfiguration(values: [setting.key: text]).mailer()
                    return nil
                } catch {
                    return error
                }
            })
    }
}

/// The source of a setting's value; later cases override earlier ones.
enum SettingSource: Sendable, Hashable {
    case standard
    /// A configuration file; the line is counted from 1, and unknown for JSON.
    case file(path: String, line: Int?)
    /// An environment variable, by its whole name `LATCH_…`.
    case environment(name: String)
    /// An option, by its long name without dashes.
    case flag(name: String)
}

extension SettingSource: CustomStringConvertible {
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
