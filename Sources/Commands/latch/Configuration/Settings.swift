// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity
import LatchTOML
import PortableFoundation

/// All settings, their values, and the sources of the values.
struct Settings: Sendable {
    /// A setting with its effective value.
    struct Effective: Sendable {
        let setting: Setting
        let text: String
        let source: SettingSource

        /// The value with secrets redacted.
        var shown: String {
            if setting.key == "store" { return StoreLocation.redacted(text) }
            return setting.isSecret && !text.isEmpty ? "(redacted)" : text
        }
    }

    /// All settings, in the order of `Setting.all`.
    let all: [Effective]

    /// Creates settings of validated values.
    private init(all: [Effective]) { self.all = all }

    /// Combines the values of all sources.
    ///
    /// The order of precedence is: options, environment variables, credentials, the file, the file of defaults.
    ///
    /// - Parameter flags: The values of options, by key.
    /// - Throws: `CommandError.failed`, which names the source of an invalid value.
    init(
        flags: [String: String] = [:], environment: [String: String] = [:],
        credentials: [String: SettingCredential] = [:], file: ConfigurationFile? = nil,
        defaults: ConfigurationFile? = nil
    ) throws(CommandError) {
        let files = [file, defaults].compactMap(\.self)
        for file in files { try Self.rejectUnknownKeys(in: file) }
        var all: [Effective] = []
        for setting in Setting.all {
            let effective = Self.effective(setting, flags, environment, credentials, files)
            if effective.source != .standard {
                do { try setting.validate(effective.text) } catch { throw Self.error(error, of: effective) }
            }
            all.append(effective)
        }
        self.all = all
    }

    /// The value of a setting; empty if there is none, also for an unknown key.
    subscript(key: String) -> String { all.first { $0.setting.key == key }?.text ?? "" }

    /// Returns the validated value of a numeric setting; 0 for a key that is not numeric.
    func number(_ key: String) -> Int { Int(self[key]) ?? 0 }

    /// Returns the value from the source with the highest precedence, or the default.
    private static func effective(
        _ setting: Setting, _ flags: [String: String], _ environment: [String: String],
        _ credentials: [String: SettingCredential], _ files: [ConfigurationFile]
    ) -> Effective {
        if let text = flags[setting.key] {
            return Effective(setting: setting, text: text, source: .flag(name: setting.key))
        }
        if let text = environment[setting.environmentName] {
            return Effective(setting: setting, text: text, source: .environment(name: setting.environmentName))
        }
        if let credential = credentials[setting.key] {
            return Effective(
                setting: setting, text: credential.text, source: .file(path: credential.path, line: nil))
        }
        for file in files {
            guard let entry = file.entries.first(where: { $0.key == setting.key }) else { continue }
            return Effective(setting: setting, text: entry.text, source: .file(path: file.path, line: entry.line))
        }
        return Effective(setting: setting, text: setting.standard, source: .standard)
    }

    /// Rejects unknown keys, because the intended setting would silently keep its default.
    private static func rejectUnknownKeys(in file: ConfigurationFile) throws(CommandError) {
        let keys = Setting.all.map(\.key)
        for entry in file.entries where !keys.contains(entry.key) {
            let source = SettingSource.file(path: file.path, line: entry.line)
            let suggestion = Suggestion.sentence(for: entry.key, among: keys) { "'\($0)'" }
            throw .failed(
                "\(source): there is no setting '\(entry.key)'.",
                hint: retired[entry.key] ?? suggestion + "'latch serve --print-config' shows all settings.")
        }
    }

    /// The settings of earlier versions, with the replacement for each.
    private static let retired = [
        "sample_resource": "Remove it: the routes are an example now, and the scopes are those in 'scopes'."
    ]

    /// Returns the error prefixed with its source, and with the setting's meaning if it has no specific hint.
    private static func error(_ problem: any Error, of effective: Effective) -> CommandError {
        let (error, source) = (CommandError(describing: problem), effective.source)
        let isGeneral = error.hint == nil || (problem as? IdentityError)?.code == IdentityError.invalidSetting.code
        let hint = isGeneral ? effective.setting.meaning : error.hint ?? ""
        // An invalid option is a usage error.
        if case .flag = source { return .usage("\(source): \(error.message)", hint: hint) }
        return .failed("\(source): \(error.message)", hint: hint)
    }
}

extension Settings {
    /// Returns the environment variables `LATCH_…` that are not settings, sorted, with suggestions.
    ///
    /// It never returns values, because a variable with the misspelled name of a secret contains a secret.
    static func unknownNames(in environment: [String: String]) -> [(name: String, suggestion: String?)] {
        let known = Setting.all.map(\.environmentName)
        return environment.keys.sorted()
            .filter { $0.hasPrefix("LATCH_") && !known.contains($0) && !others.contains($0) }
            .map { ($0, Suggestion.nearest(to: $0, among: known)) }
    }

    /// The variables of other subcommands.
    private static let others = [
        "LATCH_HOME", "LATCH_CONFIG", "LATCH_DEFAULTS", "LATCH_ACCOUNT", "LATCH_SECRET_STORE", "LATCH_PASSPHRASE_FILE",
        "LATCH_PASSPHRASE_FD",
    ]
}

extension Settings {
    /// Returns the configuration of the auth server.
    ///
    /// Defaults are left out, so the server's own defaults apply and are defined in one place.
    func identityConfiguration() throws(IdentityError) -> IdentityConfiguration {
        let keys = Set(IdentitySetting.all.map(\.key))
        let given = all.filter { keys.contains($0.setting.key) && $0.source != .standard }
        return try IdentityConfiguration(
            values: Dictionary(uniqueKeysWithValues: given.map { ($0.setting.key, $0.text) }))
    }

    /// Returns the configuration of the auth server with the content of its key file.
    ///
    /// - Throws: `IdentityError.invalidSetting`, including for an unreadable file.
    func identityConfigurationWithKey() throws(IdentityError) -> IdentityConfiguration {
        var configuration = try identityConfiguration()
        guard !self["store_key_file"].isEmpty else { return configuration }
        guard configuration.storeKey == nil else {
            throw .invalidSetting("store_key_file", "left out where store_key is set")
        }
        configuration.storeKey = try Self.storeKey(inFile: self["store_key_file"])
        return configuration
    }
}

extension Settings {
    /// Reads a store key from a file, without the line end.
    static func storeKey(inFile path: String) throws(IdentityError) -> String {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 1024 else {
            throw .invalidSetting("store_key_file", "the path of a readable file with a key")
        }
        return String(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
    }
}

extension Settings {
    /// The settings that can change while the server runs.
    static let reloadable: Set<String> = [
        "access_token_lifetime", "refresh_token_lifetime", "replay_window", "keyed_replay_window",
        "verification_lifetime", "reset_lifetime", "require_verified_email", "require_owner_proof", "argon2_memory_kib",
        "argon2_passes",
        "password_queue_limit", "login_limit_per_minute", "signup_limit_per_hour", "mail_limit_per_hour",
        "nodes", "allowed_origins", "hsts_max_age",
        "scopes", "default_scopes", "clients", "client_secrets", "first_party_grants", "first_party_scopes",
        "token_limit_per_minute", "request_limit_per_minute", "refresh_limit_per_minute",
        "user_service",
        "first_administrator", "invitation_roles", "signup_attributes", "terms_version", "recent_authentication",
        "signing_key_lifetime", "audit_retention",
        "upstreams", "upstream_secrets", "sign_in_redirects", "token_redirects", "browser_tokens",
        "apple_app_ids", "android_apps",
    ]

    /// Returns these settings, with fixed settings as they were at the server's start.
    func keeping(_ first: Settings) -> Settings {
        Settings(
            all: zip(all, first.all).map { now, before in
                Self.reloadable.contains(now.setting.key) ? now : before
            })
    }

    /// Returns the keys of fixed settings whose values have changed since the start.
    func keysNeedingRestart(since first: Settings) -> [String] {
        zip(all, first.all)
            .filter { now, before in now.text != before.text && !Self.reloadable.contains(now.setting.key) }
            .map(\.0.setting.key)
    }
}

extension Settings {
    /// The settings as a TOML file; comments give each setting's purpose and the source of its value.
    ///
    /// A setting without a value is commented out, and a secret is `(redacted)`.
    var toml: String {
        all.map { effective in
            let words = effective.setting.summary.split(separator: " ").map(String.init)
            let comment = HelpText.wrapped(words, indent: 2).split(separator: "\n").map {
                "# " + $0.drop { $0 == " " }
            }
            let line = "\(effective.setting.key) = \(Self.literal(effective.shown))  # \(effective.source)"
            return (comment + [effective.shown.isEmpty ? "# " + line : line]).map { $0 + "\n" }.joined()
        }.joined(separator: "\n")
    }

    /// The settings as a JSON array; every value is a string.
    var json: JSONValue {
        .array(
            all.map { effective in
                [
                    "key": .string(effective.setting.key), "value": .string(effective.shown),
                    "source": .string("\(effective.source)"), "environment": .string(effective.setting.environmentName),
                    "summary": .string(effective.setting.summary),
                ]
            })
    }

    /// Returns a TOML value: numbers and booleans bare, everything else in quotation marks (TOML 1.0, "String").
    private static func literal(_ text: String) -> String {
        // A bare 0x10 or +1 would be read as 16 or 1, which is a different text.
        let isPlainNumber = TOMLParser.integer(text).map { String($0) == text } ?? false
        if isPlainNumber || text == "true" || text == "false" { return text }
        // A JSON string is a valid TOML string, except that TOML also requires DEL to be escaped.
        let pieces = JSONValue.string(text).serialized().split(separator: 0x7F, omittingEmptySubsequences: false)
        return pieces.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\\u007f")
    }
}
