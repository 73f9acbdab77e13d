// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// Every setting with its value and where that comes from.
struct Settings: Sendable {
    /// A setting, as it is in effect.
    struct Effective: Sendable {
        let setting: Setting
        let text: String
        let source: SettingSource

        /// The value as it may be shown.
        var shown: String {
            if setting.key == "store" { return StoreLocation.redacted(text) }
            return setting.isSecret && !text.isEmpty ? "(redacted)" : text
        }
    }

    /// In the order of the catalogue.
    let all: [Effective]

    /// Values that have been looked at already.
    init(all: [Effective]) { self.all = all }

    /// The values of all sources; of each setting the flag wins, then the environment, then the file.
    ///
    /// - Parameter flags: Values by key.
    /// - Throws: `CommandError.failed`, which names the source of what is wrong.
    init(
        flags: [String: String] = [:], environment: [String: String] = [:], file: ConfigurationFile? = nil
    ) throws(CommandError) {
        if let file { try Self.refuseUnknownKeys(in: file) }
        var all: [Effective] = []
        for setting in Setting.all {
            let effective = Self.effective(setting, flags, environment, file)
            if effective.source != .standard, let problem = setting.problem(effective.text) {
                throw Self.error(problem, at: effective.source)
            }
            all.append(effective)
        }
        self.all = all
    }

    /// The value of a setting; empty where there is none.
    ///
    /// A key that no setting has gives the empty text as well: keys are written in this module alone, and tests go
    /// through all of them.
    subscript(key: String) -> String { all.first { $0.setting.key == key }?.text ?? "" }

    /// The value of a setting that has been found to be a number.
    ///
    /// It was tried when the settings were read, so that 0 stands only for a key that is no number.
    func number(_ key: String) -> Int { Int(self[key]) ?? 0 }

    /// The first of flag, environment and file that names the setting; the default otherwise.
    private static func effective(
        _ setting: Setting, _ flags: [String: String], _ environment: [String: String], _ file: ConfigurationFile?
    ) -> Effective {
        if let text = flags[setting.key] {
            return Effective(setting: setting, text: text, source: .flag(name: setting.key))
        }
        if let text = environment[setting.environmentName] {
            return Effective(setting: setting, text: text, source: .environment(name: setting.environmentName))
        }
        if let file, let entry = file.entries.first(where: { $0.key == setting.key }) {
            return Effective(setting: setting, text: entry.text, source: .file(path: file.path, line: entry.line))
        }
        return Effective(setting: setting, text: setting.standard, source: .standard)
    }

    /// A key that nothing reads is a typo, and the setting it was meant for would silently keep its default.
    private static func refuseUnknownKeys(in file: ConfigurationFile) throws(CommandError) {
        let keys = Setting.all.map(\.key)
        for entry in file.entries where !keys.contains(entry.key) {
            let place = SettingSource.file(path: file.path, line: entry.line)
            let suggestion = Suggestion.sentence(for: entry.key, among: keys) { "'\($0)'" }
            throw .failed(
                "\(place): there is no setting '\(entry.key)'.",
                hint: suggestion + "'latch serve --print-config' shows all settings.")
        }
    }

    /// Puts the place in front, where whoever reads it has to go.
    private static func error(_ problem: any Error, at source: SettingSource) -> CommandError {
        let told = CommandError(telling: problem)
        // A flag is part of the command line, so what is wrong with it is a mistake in the call.
        if case .flag = source { return .usage("\(source): \(told.message)", hint: told.hint ?? "") }
        return .failed("\(source): \(told.message)", hint: told.hint)
    }
}

extension Settings {
    /// Names of the environment that look like settings and are none, with what may have been meant.
    ///
    /// Names alone, sorted, and never values: a name that is nearly that of a secret holds a secret.
    static func unknownNames(in environment: [String: String]) -> [(name: String, meant: String?)] {
        let known = Setting.all.map(\.environmentName)
        return environment.keys.sorted()
            .filter { $0.hasPrefix("LATCH_") && !known.contains($0) && !others.contains($0) }
            .map { ($0, Suggestion.nearest(to: $0, among: known)) }
    }

    /// What other verbs read.
    private static let others = [
        "LATCH_HOME", "LATCH_CONFIG", "LATCH_ACCOUNT", "LATCH_SECRET_STORE", "LATCH_PASSPHRASE_FILE",
        "LATCH_PASSPHRASE_FD",
    ]
}
