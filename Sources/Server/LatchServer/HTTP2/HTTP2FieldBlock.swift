// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

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

    /// Creates an empty header section, whose memory later ones can take over.
    init() {}

    /// Whether its memory is worth keeping: a large one would be kept for ever.
    var isReusable: Bool { bytes.capacity <= 1 << 14 }

    /// The head of an interim response.
    init(interim status: Int) { append(":status", String(status)) }

    /// The head of a response.
    ///
    /// - Parameter spare: A header section that is not needed any more, whose memory this one takes over.
    /// - Throws: `HTTPError.invalidField` for a field that would break the framing.
    init(
        _ response: HTTPResponse, length: String?, date: String, reusing spare: inout HTTP2FieldBlock
    ) throws(HTTPError) {
        swap(&self, &spare)
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        append(":status", response.status == .ok ? "200" : String(response.status.rawValue))
        append("date", date)
        if let length { append("content-length", length) }
        try response.fields.forEachLine { field throws(HTTPError) in
            try field.validate()
            let name = field.name.canonicalName
            if !Self.isOmitted(name) { append(name, field.value, isNeverIndexed: Self.isNeverIndexed(name)) }
        }
    }

    /// The trailers of a response; invalid ones are omitted, since it is too late to report an error.
    init(trailers: HTTPFields) {
        for field in trailers where !field.name.isSetByTransport && !Self.isOmitted(field.name.canonicalName) {
            do { try field.validate() } catch { continue }
            append(field.name.canonicalName, field.value)
        }
    }

    /// Appends a line, whose name is in lower case, without the whitespace around its value, which RFC 9113 §8.2.1 forbids.
    private mutating func append(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
        let start = bytes.count
        bytes.append(utf8: name)
        let valueStart = bytes.count
        bytes.append(utf8: value)
        while bytes.count > valueStart, let last = bytes.last, isBlank(last) { bytes.removeLast() }
        var blanks = 0
        while valueStart + blanks < bytes.count, isBlank(bytes[valueStart + blanks]) { blanks += 1 }
        if blanks > 0 { bytes.removeSubrange(valueStart..<(valueStart + blanks)) }
        lines.append(
            Line(
                start: start, nameCount: valueStart - start, valueCount: bytes.count - valueStart,
                isNeverIndexed: isNeverIndexed))
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
}
