// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The elements of one `Forwarded` field line (RFC 7239 §4), the client's element first.
struct ForwardedElements {
    /// The `for` node of each element, without quotes; nil if it is missing or malformed.
    private(set) var hosts: [String?] = []

    private struct Malformed: Error {}

    /// Parses a line from its end; a malformed element has no node.
    ///
    /// Proxies append to the text that their client sent. If the line were read from its beginning, an unclosed quote
    /// of the client would hide the proxies' elements.
    ///
    /// - Parameter limit: The maximum number of elements, counted from the end.
    init(_ line: String, limit: Int = .max) {
        var rest = line.utf8[...]
        var isQuoted = false
        var end = rest.endIndex
        while hosts.count < limit {
            let byte = rest.popLast()
            if byte == 0x22, !(isQuoted && Self.isEscaped(rest)) { isQuoted.toggle() }
            guard byte == nil || byte == 0x2C && !isQuoted else { continue }
            let start = byte == nil ? line.startIndex : line.utf8.index(after: rest.endIndex)
            let element = line[start..<end]
            if !element.utf8.allSatisfy(isBlank) { hosts.append(Self.host(of: String(element))) }
            guard byte != nil else { break }
            end = rest.endIndex
        }
        hosts.reverse()
    }

    /// Returns whether the text ends with an odd number of backslashes.
    private static func isEscaped(_ text: Substring.UTF8View) -> Bool {
        text.reversed().prefix { $0 == 0x5C }.count % 2 == 1
    }

    private static func host(of element: String) -> String? {
        var scanner = FieldScanner(element)
        do {
            return try host(&scanner)
        } catch {
            return nil
        }
    }

    /// Parses the pairs of an element and returns its `for` node.
    private static func host(_ scanner: inout FieldScanner) throws(Malformed) -> String? {
        var host: String?
        repeat {
            scanner.skipWhitespace()
            guard let name = scanner.token(), scanner.take(0x3D),
                let value = scanner.next == 0x22 ? scanner.quotedString() : scanner.token()
            else { throw Malformed() }
            if name.lowercasedASCII() == "for" {
                // RFC 7239 §4: a parameter occurs once in an element.
                guard host == nil else { throw Malformed() }
                host = value
            }
            scanner.skipWhitespace()
        } while scanner.take(0x3B)
        guard scanner.isAtEnd else { throw Malformed() }
        return host
    }
}
