// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchTOML

extension Settings {
    /// The settings as a TOML text that can be used as a file, each line with the source of its value.
    ///
    /// A setting without a value is a comment, so that reading it back leaves it unset. A secret stands as
    /// `(redacted)`: whoever uses the text as a file has to put secrets in again.
    var toml: String {
        let lines = all.map { effective in
            let line = "\(effective.setting.key) = \(Self.literal(effective.shown))"
            return (line: effective.shown.isEmpty ? "# " + line : line, comment: "\(effective.source)")
        }
        let column = lines.map(\.line.count).max() ?? 0
        return lines.map { line, comment in
            line + String(repeating: " ", count: column - line.count) + "  # \(comment)\n"
        }.joined()
    }

    /// The settings for a script.
    ///
    /// An array in the order of the catalogue, every value a text; fields may be added, none is renamed.
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

    /// A TOML value: what reads as a number or a boolean stands bare, all else in quotation marks (TOML 1.0, "String").
    private static func literal(_ text: String) -> String {
        // Read back, a bare 0x10 or +1 would be another text: 16 or 1. A folder may have such a name.
        let isPlainNumber = TOMLParser.integer(text).map { String($0) == text } ?? false
        if isPlainNumber || text == "true" || text == "false" { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case let other where other.value < 0x20 || other.value == 0x7F:
                let digits = String(other.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return "\"\(quoted)\""
    }
}
