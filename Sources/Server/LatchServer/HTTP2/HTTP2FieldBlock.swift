// SPDX-License-Identifier: Apache-2.0

/// A header section to send, with names in lower case (RFC 9113 §8.2).
struct HTTP2FieldBlock {
    /// The place of one line in `bytes`.
    struct Line {
        let start: Int
        let nameCount: Int
        let valueCount: Int
        /// Whether no compressor may add it to its table: the length of a secret could be guessed from it (RFC 7541 §7.1.3), and
        /// a value that never returns would push out those that do, and keep 4 KiB of each idle connection.
        let isNeverIndexed: Bool
    }

    /// The names and values of all lines, one after the other.
    private(set) var bytes: [UInt8] = []
    private(set) var lines: [Line] = []

    /// Appends a line, whose name is in lower case.
    mutating func append(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
        let start = bytes.count
        bytes.append(utf8: name)
        let nameCount = bytes.count - start
        bytes.append(utf8: value)
        lines.append(
            Line(
                start: start, nameCount: nameCount, valueCount: bytes.count - start - nameCount,
                isNeverIndexed: isNeverIndexed))
    }

    /// The head of an interim response.
    init(interim status: Int) { append(":status", String(status)) }

    /// The head of a response.
    ///
    /// - Throws: `HTTPError.invalidField` for a field that would break the framing.
    init(_ response: HTTPResponse, length: String?, date: String) throws(HTTPError) {
        try response.fields.validate()
        bytes.reserveCapacity(256)
        lines.reserveCapacity(response.fields.count + 3)
        append(":status", String(response.status.rawValue))
        append("date", date)
        if let length { append("content-length", length) }
        for field in response.fields where !Self.isOmitted(field.name.canonicalName) {
            let name = field.name.canonicalName
            append(name, trimmed(field.value), isNeverIndexed: Self.isNeverIndexed(name))
        }
    }

    /// The trailers of a response; invalid ones are omitted, since it is too late to report an error.
    init(trailers: HTTPFields) {
        for field in trailers where !field.name.isSetByTransport && !Self.isOmitted(field.name.canonicalName) {
            let line: HTTPFields = [field.name: field.value]
            do { try line.validate() } catch { continue }
            append(field.name.canonicalName, trimmed(field.value))
        }
    }

    /// Whether the server sets the field itself, does not disclose it, or may not send it (RFC 9113 §8.2.2).
    private static func isOmitted(_ name: String) -> Bool {
        switch name.utf8.count {
        case 7: name == "upgrade"
        case 16: name == "proxy-connection"
        default: ResponseWriter.isSetByServer(name)
        }
    }

    private static func isNeverIndexed(_ name: String) -> Bool {
        switch name.utf8.count {
        case 8: name == "location"
        case 9: name == "ratelimit"
        case 10: name == "set-cookie"
        case 12: name == "x-request-id"
        case 13: name == "authorization"
        default: false
        }
    }

    /// Returns a value without whitespace around it, which RFC 9113 §8.2.1 forbids.
    private func trimmed(_ value: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = value.utf8.first, let last = value.utf8.last, isSpace(first) || isSpace(last) else {
            return value
        }
        let start = value.utf8.firstIndex { !isSpace($0) } ?? value.utf8.endIndex
        let end = value.utf8.lastIndex { !isSpace($0) }.map { value.utf8.index(after: $0) } ?? start
        return String(value[start..<end])
    }
}
