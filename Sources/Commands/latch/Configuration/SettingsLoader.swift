// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation
import LatchIdentity

/// Loads a server's settings at its start and at each reload.
struct SettingsLoader: Sendable {
    /// The values of options, by key: options and keys have the same names.
    private let flags: [String: String]
    private let variables: [String: String]
    /// The path of the configuration file; the option overrides LATCH_CONFIG.
    private let file: String?
    /// The path of the file with other defaults, which an image or a distribution provides.
    private let defaults: String?
    /// Whether the server is for a first try, and has a demo client.
    private let isDev: Bool

    /// Creates a loader with the options and environment variables of the start.
    init(_ invocation: Invocation, variables: [String: String]) {
        let options = [ServeSubcommand.listen, ServeSubcommand.store, ServeSubcommand.issuer]
        flags = Dictionary(
            uniqueKeysWithValues: options.compactMap { option in
                invocation[option].map { (option.name, $0) }
            })
        self.variables = variables
        // An empty path means no file: Compose sets variables that it does not know to the empty text.
        func path(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        file = invocation[ServeSubcommand.config] ?? path("LATCH_CONFIG")
        defaults = path("LATCH_DEFAULTS")
        isDev = invocation.has(ServeSubcommand.dev)
    }

    /// Reads the files again and returns the settings.
    ///
    /// - Parameter forPages: Whether the files of pages and emails are read. Other commands need none, and must not fail
    ///   for one that only the server's user can read.
    func load(forPages: Bool = true) throws(CommandError) -> Settings {
        // As one that is not set it would have the server keep in plain what it is to encrypt.
        for setting in ServeConfiguration.settings where setting.isKeyOfStore {
            guard variables[setting.environmentName] != "" else {
                throw .failed("\(setting.environmentName) is empty.", hint: "Give its value, or unset the variable.")
            }
        }
        let read = { (path: String) throws(CommandError) in try ConfigurationFile(readingFrom: path) }
        var settings = try Settings(
            flags: flags, environment: variables, credentials: credentials(), file: file.map(read),
            defaults: defaults.map(read), readsFiles: forPages)
        if isDev { try settings.prepareForFirstTry() }
        return settings
    }

    /// Reads the secrets, and the store, that the service manager passes as files with the names of settings (systemd's
    /// LoadCredential).
    ///
    /// They are secrets, and the location of the store.
    private func credentials() throws(CommandError) -> [String: SettingCredential] {
        guard let folder = variables["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return [:] }
        // Without its secrets, a server would create another store, or lose the data that depends on them.
        guard FileManager.default.isExecutableFile(atPath: folder) else {
            throw .failed(
                "The folder of credentials \(folder) does not exist, or cannot be entered.",
                hint: "The service's user needs it: chown it, or correct CREDENTIALS_DIRECTORY.")
        }
        var credentials: [String: SettingCredential] = [:]
        for key in ServeConfiguration.settings.filter(\.isCredential).map(\.key) {
            let path = "\(folder)/\(key)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            var bytes = try InputFile.bytes(path, hint: "The service's user must be able to read the credential.")
            while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
            // If an empty secret counted as unset, the server would store in plain text what it should encrypt.
            guard !bytes.isEmpty else {
                throw .failed(
                    "The credential \(path) is empty.", hint: "Write its value into it, or remove the file.")
            }
            credentials[key] = SettingCredential(path: path, text: String(decoding: bytes, as: UTF8.self))
        }
        return credentials
    }

    /// The warnings about environment variables that resemble settings but are not, or that name an unreadable file.
    ///
    /// They do not depend on the settings, and are also written if the settings are invalid.
    var environmentWarnings: [StartupWarning] {
        let unknown = Settings.unknownNames(in: variables).map { name, suggestion in
            let hint = suggestion.map { "Did you mean \($0)?" } ?? "'latch serve --print-config' shows all settings."
            return StartupWarning(message: "\(name) is not a setting and has no effect.", hint: hint)
        }
        return unknown + (IssuerTransport.authorityWarning(variables).map { [$0] } ?? [])
    }
}
