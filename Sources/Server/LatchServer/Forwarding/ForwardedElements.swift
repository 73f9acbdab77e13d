// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The elements of one `Forwarded` field line (RFC 7239 §4), the one of the client first.
struct ForwardedElements {
    /// The `for` node of each element, without quotes; nil for an element that has none or is malformed.
    private(set) var hosts: [String?] = []

    private struct Malformed: Error {}

    /// Parses a line; a malformed one counts as a single element without a node.
    ///
    /// An unterminated quote could contain separators, so no part of a malformed line is trusted.
    init(_ line: String) {
        var scanner = FieldScanner(line)
        do {
            while true {
                _ = scanner.take { isBlank($0) || $0 == 0x2C }
                if scanner.isAtEnd { return }
                hosts.append(try Self.host(&scanner))
            }
        } catch {
            hosts = [nil]
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
        guard scanner.isAtEnd || scanner.next == 0x2C else { throw Malformed() }
        return host
    }
}
