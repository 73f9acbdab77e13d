// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer

/// All settings, their values, and the sources of the values.
struct Settings: Sendable {
    /// A setting with its effective value.
    struct Effective: Sendable {
        let setting: Setting
        let text: String
        let source: SettingSource
        /// Whether the words of a file are the value, which tables have replaced.
        var isOfWords = false

        /// The value with secrets redacted.
        var shown: String { setting.shown(text) }
    }

    /// All settings, in the order of `ServeConfiguration.settings`.
    private(set) var all: [Effective] = []
    private(set) var configuration = ServeConfiguration()
    /// Whether the server has the pages of a first try, which also show its emails.
    private(set) var isForFirstTry = false

    /// Combines the values of all sources.
    ///
    /// The order of precedence is: options, environment variables, credentials, the file, the file of defaults.
    ///
    /// - Parameters:
    ///   - flags: The values of options, by key.
    ///   - readsFiles: Whether the files of pages and emails are read; otherwise their settings count as not set.
    /// - Throws: `CommandError.failed`, which names the source of an invalid value.
    init(
        flags: [String: String] = [:], environment: [String: String] = [:],
        credentials: [String: SettingCredential] = [:], file: ConfigurationFile? = nil,
        defaults: ConfigurationFile? = nil, readsFiles: Bool = true
    ) throws(CommandError) {
        let files = [file, defaults].compactMap(\.self)
        for file in files { try Self.rejectUnknownKeys(in: file) }
        for setting in ServeConfiguration.settings {
            if !readsFiles, Self.files.contains(setting.key) {
                all.append(Effective(setting: setting, text: setting.standard, source: .standard))
            } else if let given = Self.given(setting, flags, environment, credentials) {
                try take(.text(given.text), of: setting, from: given.source)
            } else if let (file, entry) = Self.entry(of: setting, in: files) {
                try take(entry.value, of: setting, from: .file(path: file.path, line: entry.line), isOfFile: true)
            } else {
                all.append(Effective(setting: setting, text: setting.standard, source: .standard))
            }
        }
    }

    /// The settings whose values are files for pages and emails.
    private static let files: Set = ["logo_file", "favicon_file", "mail_templates"]

    /// Prepares the server for the pages of a first try: adds the demo client of `latch serve --dev`.
    ///
    /// - Throws: `CommandError.usage` for a server that other machines reach: everybody could read its emails.
    mutating func prepareForFirstTry() throws(CommandError) {
        guard configuration.listen.isLoopback, configuration.identity.issuer.map(Self.isLoopback) ?? true,
            configuration.server.trustedProxies.ranges.isEmpty
        else {
            throw .usage(
                "'--dev' is for this machine only.",
                hint: "Listen on 127.0.0.1 without issuer and trusted_proxies, or leave it out.")
        }
        isForFirstTry = true
        do throws(IdentityError) {
            let client = try DevSite.client(issuer: configuration.identity.issuer)
            guard !configuration.identity.clients.contains(where: { $0.id == client.id }) else { return }
            configuration.identity.clients.append(client)
        } catch {
            throw CommandError(describing: error)
        }
    }

    private static func isLoopback(_ issuer: String) -> Bool {
        do throws(HTTPError) { return try HTTPOrigin.split(issuer).origin.isLoopback } catch { return false }
    }

    /// Applies a value.
    private mutating func take(
        _ value: ConfigurationFile.Value, of setting: Setting, from source: SettingSource, isOfFile: Bool = false
    ) throws(CommandError) {
        do throws(SettingProblem) {
            switch value {
            case .text(let text):
                try setting.apply(text, &configuration)
                let isOfWords = isOfFile && !setting.tables(configuration).isEmpty
                all.append(Effective(setting: setting, text: text, source: source, isOfWords: isOfWords))
            case .tables(let tables, _):
                guard let apply = setting.applyTables else {
                    throw SettingProblem.stated(
                        "'\(setting.key)' has a value of a wrong type.", hint: "Tables are for clients and upstreams.",
                        expected: "no table")
                }
                try apply(tables, &configuration)
                all.append(Effective(setting: setting, text: setting.text(configuration), source: source))
            }
        } catch {
            throw Self.error(setting.error(error), at: Self.place(of: error, in: value, from: source))
        }
    }

    /// Returns the source with the line of the table that cannot be used.
    private static func place(
        of problem: SettingProblem, in value: ConfigurationFile.Value, from source: SettingSource
    ) -> SettingSource {
        guard case .inTable(let index, _, _) = problem, case .tables(_, let lines) = value,
            case .file(let path, _) = source, lines.indices.contains(index)
        else { return source }
        return .file(path: path, line: lines[index])
    }

    /// Returns the value of the option, the environment or the credential; nil without one.
    private static func given(
        _ setting: Setting, _ flags: [String: String], _ environment: [String: String],
        _ credentials: [String: SettingCredential]
    ) -> (text: String, source: SettingSource)? {
        if let text = flags[setting.key] { return (text, .flag(name: setting.key)) }
        if let text = environment[setting.environmentName] {
            return (text, .environment(name: setting.environmentName))
        }
        return credentials[setting.key].map { ($0.text, .file(path: $0.path, line: nil)) }
    }

    /// Returns the first of the files that has a setting, with its entry there.
    private static func entry(
        of setting: Setting, in files: [ConfigurationFile]
    ) -> (file: ConfigurationFile, entry: ConfigurationFile.Entry)? {
        for file in files {
            if let entry = file.entries.first(where: { $0.key == setting.key }) { return (file, entry) }
        }
        return nil
    }

    /// Rejects unknown keys, because the intended setting would silently keep its default.
    private static func rejectUnknownKeys(in file: ConfigurationFile) throws(CommandError) {
        let keys = ServeConfiguration.settings.map(\.key)
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

    /// Returns the error with its source in front.
    private static func error(_ error: CommandError, at source: SettingSource) -> CommandError {
        let (message, hint) = ("\(source): \(error.message)", error.hint ?? "")
        // An invalid option is a usage error.
        if case .flag = source { return .usage(message, hint: hint) }
        return .failed(message, hint: hint)
    }
}

extension Settings {
    /// Returns the environment variables `LATCH_…` that are not settings, sorted, with suggestions.
    ///
    /// It never returns values, because a variable with the misspelled name of a secret contains a secret.
    static func unknownNames(in environment: [String: String]) -> [(name: String, suggestion: String?)] {
        let known = ServeConfiguration.settings.map(\.environmentName)
        return environment.keys.sorted()
            .filter { $0.hasPrefix("LATCH_") && !known.contains($0) && !others.contains($0) }
            .map { ($0, Suggestion.nearest(to: $0, among: known)) }
    }

    /// The variables of other subcommands.
    private static let others = [
        "LATCH_HOME", "LATCH_CONFIG", "LATCH_DEFAULTS", "LATCH_ACCOUNT", "LATCH_SECRET_STORE", "LATCH_PASSPHRASE_FILE",
        "LATCH_PASSPHRASE_FD", "LATCH_API_KEY",
    ]
}

extension Settings {
    /// Returns the configuration of the auth server with the contents of its files.
    ///
    /// - Throws: `IdentityError.invalidSetting`, including for an unreadable file.
    func identityConfigurationWithKey() throws(IdentityError) -> IdentityConfiguration {
        var identity = configuration.identity
        if let file = configuration.clientAuthorities {
            guard let bytes = FileManager.default.contents(atPath: file), !bytes.isEmpty, bytes.count <= 1 << 20 else {
                throw .invalidSetting("client_authorities_file", "the path of a readable file with certificates in PEM")
            }
            identity.clientAuthorities = Array(bytes)
        }
        guard let file = configuration.storeKeyFile else { return identity }
        guard identity.storeKey == nil else {
            throw .invalidSetting("store_key_file", "left out where store_key is set")
        }
        identity.storeKey = try Self.storeKey(inFile: file)
        return identity
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
    /// Returns these settings, with the fixed ones taken from those that the server started with.
    func keeping(_ first: Settings) -> Settings {
        var kept = self
        for (index, before) in first.all.enumerated() where !before.setting.isReloaded {
            kept.all[index] = before
            before.setting.copy(first.configuration, &kept.configuration)
        }
        return kept
    }

    /// Returns the keys of fixed settings whose values have changed since the start.
    func keysNeedingRestart(since first: Settings) -> [String] {
        zip(all, first.all)
            .filter { now, before in now.text != before.text && !now.setting.isReloaded }
            .map(\.0.setting.key)
    }
}
