// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A reader of the variables in a style sheet, CSS Custom Properties for Cascading Variables §2.
enum CSSVariables {
    /// Returns the names and values of the variables, in order; a later variable of the same name overrides an earlier
    /// one.
    static func parse(_ css: String) -> [(name: String, value: String)] {
        let text = withoutComments(css)
        // A declaration ends with a semicolon or with its block; the text before an opening brace is a selector.
        let parts = text.split { $0 == ";" || $0 == "{" || $0 == "}" }
        return parts.compactMap { part in
            guard let colon = part.firstIndex(of: ":") else { return nil }
            let name = trimmed(part[..<colon])
            let value = trimmed(part[part.index(after: colon)...])
            return name.unicodeScalars.starts(with: "--".unicodeScalars) && !value.isEmpty ? (name, value) : nil
        }
    }

    /// Returns a length of zero or more points; nil for any other text.
    static func length(_ value: String) -> Double? {
        var scalars = Substring(value).unicodeScalars
        if scalars.suffix(2).elementsEqual("px".unicodeScalars) { scalars.removeLast(2) }
        guard let number = Double(String(scalars)), number.isFinite, (0...1000).contains(number) else { return nil }
        return number
    }

    /// Returns the first family of a list, without quotation marks; nil for an empty one.
    static func family(_ value: String) -> String? {
        guard let first = value.unicodeScalars.split(separator: ",").first else { return nil }
        let name = trimmed(first).unicodeScalars.filter { $0 != "\"" && $0 != "'" }
        return name.isEmpty ? nil : String(String.UnicodeScalarView(name))
    }

    /// Returns the text with each comment replaced by a space; an unclosed comment extends to the end.
    private static func withoutComments(_ css: String) -> String.UnicodeScalarView {
        var result = String.UnicodeScalarView()
        var rest = Substring(css).unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "/", rest.first == "*" else {
                result.append(scalar)
                continue
            }
            rest.removeFirst()
            var last: Unicode.Scalar?
            while let next = rest.popFirst(), !(last == "*" && next == "/") { last = next }
            result.append(" ")
        }
        return result
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        let start = text.drop { $0.properties.isWhitespace }
        let end = start.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
