// SPDX-License-Identifier: Apache-2.0

/// The elements of one `Forwarded` field line (RFC 7239 §4), the one of the client first.
struct ForwardedElements {
    /// The `for` node of each element, without quotes; nil for an element that has none or is malformed.
    private(set) var hosts: [String?] = []

    /// Parses a line; a malformed one counts as a single element without a node.
    ///
    /// An unterminated quote could contain separators, so no part of a malformed line is trusted.
    init(_ line: String) {
        var parser = Parser(bytes: Array(line.utf8))
        while let element = parser.element() {
            guard case .success(let host) = element else {
                hosts = [nil]
                return
            }
            hosts.append(host)
        }
    }

    private enum Malformed: Error { case line }

    /// A parser of pairs separated by semicolons, in elements separated by commas (RFC 7239 §4).
    private struct Parser {
        let bytes: [UInt8]
        var position = 0

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        /// Parses the `for` node of the next element; nil at the end of the line.
        mutating func element() -> Result<String?, Malformed>? {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }
            guard next != nil else { return nil }
            var host: String?
            while true {
                guard let name = token(), take(0x3D), let value = value() else { return .failure(.line) }
                if name.lowercased() == "for" {
                    // RFC 7239 §4: a parameter occurs once in an element.
                    guard host == nil else { return .failure(.line) }
                    host = value
                }
                skip { $0 == 0x20 || $0 == 0x09 }
                if take(0x3B) {
                    skip { $0 == 0x20 || $0 == 0x09 }
                    continue
                }
                guard next == nil || next == 0x2C else { return .failure(.line) }
                return .success(host)
            }
        }

        private mutating func value() -> String? { next == 0x22 ? quoted() : token() }

        /// Parses a quoted string (RFC 9110 §5.6.4).
        private mutating func quoted() -> String? {
            position += 1
            var text: [UInt8] = []
            while let byte = next {
                position += 1
                if byte == 0x22 { return String(validating: text, as: UTF8.self) }
                if byte == 0x5C {
                    guard let escaped = next else { return nil }
                    position += 1
                    text.append(escaped)
                } else {
                    text.append(byte)
                }
            }
            return nil
        }

        /// Parses a token (RFC 9110 §5.6.2).
        private mutating func token() -> String? {
            let start = position
            skip { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
            return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            position += 1
            return true
        }

        private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
            while let byte = next, isSkipped(byte) { position += 1 }
        }
    }
}
