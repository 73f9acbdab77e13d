// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The text format of a setting's value.
package struct SettingFormat<Value>: Sendable {
    /// Parses a text.
    package let parse: @Sendable (String) throws(SettingProblem) -> Value
    /// Formats a value so that `parse` accepts it.
    package let text: @Sendable (Value) -> String
    /// The form as tables of a file; nil for a setting that has none.
    package let tables: SettingTables<Value>?

    /// Creates a format.
    package init(
        parse: @escaping @Sendable (String) throws(SettingProblem) -> Value,
        text: @escaping @Sendable (Value) -> String, tables: SettingTables<Value>? = nil
    ) {
        self.parse = parse
        self.text = text
        self.tables = tables
    }

    /// Creates a format of one expected form.
    ///
    /// - Parameters:
    ///   - expected: The end of a sentence that begins with "The setting 'x' must be".
    ///   - parse: Returns the value of a text; nil if it is not valid.
    ///   - problem: Describes the part of a text that is not valid; nil if `expected` says enough.
    package init(
        expected: String, parse: @escaping @Sendable (String) -> Value?, text: @escaping @Sendable (Value) -> String,
        problem: @escaping @Sendable (String) -> SettingProblem? = { _ in nil }, tables: SettingTables<Value>? = nil
    ) {
        self.init(
            parse: { text throws(SettingProblem) in
                guard let value = parse(text) else { throw problem(text) ?? .expected(expected) }
                return value
            }, text: text, tables: tables)
    }

    /// Returns a format in which empty text is nil, since neither a shell nor a file can express nil otherwise.
    package static func optional<Wrapped>(_ format: SettingFormat<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            parse: { text throws(SettingProblem) in text.isEmpty ? nil : try format.parse(text) },
            text: { $0.map(format.text) ?? "" })
    }
}

extension SettingFormat where Value == String {
    /// Any text.
    package static var text: Self { Self(expected: "text", parse: { $0 }, text: { $0 }) }
}

extension SettingFormat where Value == Int {
    /// A whole number within the bounds for which the server has been tested.
    package static func number(_ range: ClosedRange<Int>) -> Self {
        Self(
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, text: { String($0) })
    }
}

extension SettingFormat where Value == Duration {
    /// A time in whole seconds; suffixes such as "15m" are rejected.
    package static func seconds(_ range: ClosedRange<Int64>) -> Self {
        Self(
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int64($0).flatMap { range.contains($0) ? .seconds($0) : nil } },
            text: { String($0.components.seconds) })
    }
}

extension SettingFormat where Value == Bool {
    /// The spellings of shells and files; anything else is rejected, since a misspelt "true" must not mean "false".
    package static var flag: Self {
        let values = [
            "true": true, "yes": true, "1": true, "on": true, "false": false, "no": false, "0": false, "off": false,
        ]
        return Self(expected: "true or false", parse: { values[$0.lowercasedASCII()] }, text: { String($0) })
    }
}
