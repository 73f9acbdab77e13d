// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchIdentityStorage

/// A setting of a server: its key in a configuration file, its place in the configuration, and its format.
///
/// Its default is the value of the property in a new configuration.
package struct ConfigurationSetting<Configuration>: Sendable {
    /// The key in a configuration file.
    package let key: String
    /// A description in one line, which makes sense without its neighbors: errors show it as a hint.
    package let summary: String
    /// Whether a running server takes the value when it reads its settings again.
    package let isReloaded: Bool
    /// Whether the value must not be shown.
    package let isSecret: Bool
    /// Whether the service manager may pass the value in a file: a secret, or a URI that may hold a password.
    package let isCredential: Bool
    /// Whether a server without the value would use its store in another way, so that an empty variable is a mistake.
    package let isKeyOfStore: Bool
    /// Parses a text into a configuration.
    package let apply: @Sendable (_ text: String, _ configuration: inout Configuration) throws(SettingProblem) -> Void
    /// Formats the value so that `apply` can parse it.
    package let text: @Sendable (_ configuration: Configuration) -> String
    /// Reads the tables of a file into a configuration; nil for a setting that has none.
    package let applyTables:
        (@Sendable (_ tables: [JSONObject], _ configuration: inout Configuration) throws(SettingProblem) -> Void)?
    /// Returns the value as tables, which `applyTables` accepts; empty for a setting that has none.
    package let tables: @Sendable (_ configuration: Configuration) -> [JSONObject]
    /// Copies the value from a configuration to another one.
    package let copy: @Sendable (_ source: Configuration, _ target: inout Configuration) -> Void
    /// Removes from a text what must not be shown.
    private let redact: @Sendable (_ text: String) -> String

    /// Creates a setting for a property.
    ///
    /// - Parameter redact: Removes a password from the text of a setting that is not a secret as a whole.
    package init<Value>(
        _ key: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable, _ format: SettingFormat<Value>,
        _ summary: String, isReloaded: Bool = false, isSecret: Bool = false, isKeyOfStore: Bool = false,
        redact: (@Sendable (String) -> String)? = nil
    ) {
        self.key = key
        self.summary = summary
        self.isReloaded = isReloaded
        self.isSecret = isSecret
        self.isKeyOfStore = isKeyOfStore
        isCredential = isSecret || redact != nil
        apply = { text, configuration throws(SettingProblem) in
            configuration[keyPath: path] = try format.parse(text)
        }
        text = { format.text($0[keyPath: path]) }
        if let tables = format.tables {
            applyTables = { given, configuration throws(SettingProblem) in
                configuration[keyPath: path] = try tables.parse(given)
            }
        } else {
            applyTables = nil
        }
        tables = { format.tables?.tables($0[keyPath: path]) ?? [] }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        self.redact = redact ?? { isSecret && !$0.isEmpty ? "(redacted)" : $0 }
    }

    /// Creates the setting of a configuration within another one.
    package init<Part>(
        _ setting: ConfigurationSetting<Part>, within path: any WritableKeyPath<Configuration, Part> & Sendable
    ) {
        key = setting.key
        summary = setting.summary
        isReloaded = setting.isReloaded
        isSecret = setting.isSecret
        isCredential = setting.isCredential
        isKeyOfStore = setting.isKeyOfStore
        apply = { text, configuration throws(SettingProblem) in
            try setting.apply(text, &configuration[keyPath: path])
        }
        text = { setting.text($0[keyPath: path]) }
        if let applyTables = setting.applyTables {
            self.applyTables = { tables, configuration throws(SettingProblem) in
                try applyTables(tables, &configuration[keyPath: path])
            }
        } else {
            applyTables = nil
        }
        tables = { setting.tables($0[keyPath: path]) }
        copy = { setting.copy($0[keyPath: path], &$1[keyPath: path]) }
        redact = setting.redact
    }

    /// Returns the value as text, redacted if it is a secret, empty if there is none.
    package func shown(in configuration: Configuration) -> String { shown(text(configuration)) }

    /// Returns a text of the setting without what must not be shown.
    package func shown(_ text: String) -> String { redact(text) }
}

/// The reason why a text is not the value of a setting.
package enum SettingProblem: Error, Sendable, Hashable {
    /// The value must be something else: the end of a sentence that begins with "The setting 'x' must be".
    ///
    /// It never quotes the text, which may be a secret under the wrong key.
    case expected(String)
    /// A part of the value cannot be used: a sentence without its full stop, which quotes nothing that may be a secret.
    case unusable(String)
    /// A part of a table, counted from 0, cannot be used: a sentence as that of `unusable`, which names the table.
    case inTable(Int, String, unknown: String?)
    /// A problem in a sentence that may quote the text, with a hint; `expected` is the form that does not quote it.
    case stated(String, hint: String?, expected: String)
}

extension IdentityError {
    /// Creates an ``invalidSetting`` error of a setting, which never quotes the text.
    package static func invalidSetting(_ key: String, _ problem: SettingProblem) -> IdentityError {
        switch problem {
        case .expected(let expected), .stated(_, _, let expected): .invalidSetting(key, expected)
        case .unusable(let reason), .inTable(_, let reason, _): .unusableSetting(key, reason)
        }
    }
}
