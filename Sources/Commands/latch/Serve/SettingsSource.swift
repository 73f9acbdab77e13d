// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// Where a server's settings are read from, at its start and whenever it is told to read them again.
struct SettingsSource: Sendable {
    /// By the key of their setting: flags and keys have the same names.
    private let flags: [String: String]
    private let environment: [String: String]
    /// The configuration file; the flag wins over LATCH_CONFIG.
    private let file: String?

    /// Keeps what does not change while the server runs: its flags, its environment and the path of its file.
    init(_ invocation: Invocation, environment: [String: String]) {
        let options = [ServeVerb.listen, ServeVerb.store, ServeVerb.issuer]
        flags = Dictionary(
            uniqueKeysWithValues: options.compactMap { option in
                invocation[option].map { (option.name, $0) }
            })
        self.environment = environment
        file = invocation[ServeVerb.config] ?? environment["LATCH_CONFIG"]
    }

    /// The settings as they are now.
    ///
    /// Reads the file anew each time; the environment and the flags are those of the start.
    func read() throws(CommandError) -> Settings {
        var read: ConfigurationFile?
        if let file { read = try ConfigurationFile(readingFrom: file) }
        return try Settings(flags: flags, environment: environment, file: read)
    }

    /// Warns of names in the environment that look like settings and are none.
    func warnOfUnknownNames(_ shell: Shell) {
        for (name, meant) in Settings.unknownNames(in: environment) {
            let hint = meant.map { "Did you mean \($0)?" } ?? "'latch serve --print-config' shows all settings."
            shell.warn("\(name) is no setting and has no effect.", hint: hint)
        }
    }
}
