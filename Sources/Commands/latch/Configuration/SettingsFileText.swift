// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity
import LatchTOML

extension Settings {
    /// The settings as a TOML file, each with its purpose and the source of its value as a comment.
    ///
    /// A setting without a value is commented out unless its default has one, and a secret is `(redacted)`. Tables are at
    /// the end, since what follows one belongs to it.
    var toml: String {
        let tables = all.map { ($0, $0.setting.tables(configuration)) }.filter { !$0.1.isEmpty }
        let keys = tables.map(\.0.setting.key)
        let lines = all.filter { !keys.contains($0.setting.key) }.map { effective in
            // An empty list may be none, which has a word in some settings.
            let text = effective.shown.isEmpty ? effective.setting.shown(in: configuration) : effective.shown
            let line = "\(effective.setting.key) = \(Self.literal(text))  # \(effective.source)"
            let isLeftOut = text.isEmpty && effective.setting.standard.isEmpty
            return Self.comment(effective) + (isLeftOut ? "# " + line : line) + "\n"
        }
        let last = tables.map { effective, tables in
            Self.comment(effective) + "# \(effective.source)\n" + Self.toml(tables, named: effective.setting.key) + "\n"
        }
        return (lines + last).joined(separator: "\n")
    }

    /// Returns the purpose of a setting as lines of a comment.
    private static func comment(_ effective: Effective) -> String {
        let words = effective.setting.summary.split(separator: " ").map(String.init)
        return HelpText.wrapped(words, indent: 2).split(separator: "\n").map { "# \($0.drop { $0 == " " })\n" }.joined()
    }

    /// Returns tables as TOML, without a line end.
    static func toml(_ tables: [JSONObject], named key: String) -> String {
        tables.map { table in
            (["[[\(key)]]"] + table.map { "\($0.key) = \(literal($0.value))" }).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// Returns a member of a table as a TOML value: a text, a boolean, or a list of texts.
    private static func literal(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): string(text)
        case .array(let elements): "[\(elements.map(literal).joined(separator: ", "))]"
        default: String(decoding: value.serialized(), as: UTF8.self)
        }
    }

    /// The settings as a JSON array; every value is a string, and that of tables is in `tables` too.
    var json: JSONValue {
        .array(
            all.map { effective in
                var object: JSONObject = [
                    "key": .string(effective.setting.key), "value": .string(effective.shown),
                    "source": .string("\(effective.source)"), "environment": .string(effective.setting.environmentName),
                    "summary": .string(effective.setting.summary),
                ]
                let tables = effective.setting.tables(configuration)
                if !tables.isEmpty { object["tables"] = .array(tables.map { .object($0) }) }
                return .object(object)
            })
    }

    /// Returns a TOML value: numbers and booleans bare, everything else in quotation marks (TOML 1.0, "String").
    private static func literal(_ text: String) -> String {
        // A bare 0x10 or +1 would be read back as 16 or 1, which is another text.
        let isPlainNumber = TOMLParser.integer(text).map { String($0) == text } ?? false
        if isPlainNumber || text == "true" || text == "false" { return text }
        return string(text)
    }

    /// Returns a text as a TOML string.
    private static func string(_ text: String) -> String {
        // A string of JSON is one of TOML, except that TOML requires DEL to be escaped, too.
        let pieces = JSONValue.string(text).serialized().split(separator: 0x7F, omittingEmptySubsequences: false)
        return pieces.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\\u007f")
    }
}
