// SPDX-License-Identifier: Apache-2.0

/// One line of the Forwarded field (RFC 7239 §4): its elements, from the client's side on, each with the node of `for`.
struct ForwardedElements {
    /// The nodes as they are written, without quotes; nil for an element that names none, or that is malformed.
    private(set) var hosts: [String?] = []

    /// Reads a line; from the first mistake on it is one element that says nothing.
    ///
    /// Everything left of a mistake stays readable only if the mistake is not believed to hold separators, which a quote that
    /// never ends would: so nothing of such a line is taken apart.
    init(_ line: String) {
        var reader = Reader(bytes: Array(line.utf8))
        while let element = reader.element() {
            guard case .success(let host) = element else {
                hosts = [nil]
                return
            }
            hosts.append(host)
        }
    }

    private enum Malformed: Error { case line }

    /// RFC 7239 §4: pairs of a token and a value, separated by semicolons; elements, separated by commas.
    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        /// The `for` of the next element; nil at the end of the line.
        mutating func element() -> Result<String?, Malformed>? {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }
            guard next != nil else { return nil }
            var host: String?
            while true {
                guard let name = token(), take(0x3D), let value = value() else { return .failure(.line) }
                if name.lowercased() == "for" {
                    // RFC 7239 §4: a parameter stands once in an element.
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

        /// RFC 9110 §5.6.4.
        private mutating func quoted() -> String? {
            place += 1
            var text: [UInt8] = []
            while let byte = next {
                place += 1
                if byte == 0x22 { return String(validating: text, as: UTF8.self) }
                if byte == 0x5C {
                    guard let escaped = next else { return nil }
                    place += 1
                    text.append(escaped)
                } else {
                    text.append(byte)
                }
            }
            return nil
        }

        /// RFC 9110 §5.6.2.
        private mutating func token() -> String? {
            let start = place
            skip { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
            return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            place += 1
            return true
        }

        private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
            while let byte = next, isSkipped(byte) { place += 1 }
        }
    }
}
