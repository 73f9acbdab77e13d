// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A header section to send, with names in lower case (RFC 9113 §8.2).
///
/// It has separate memory. The memory of response heads belongs to a loop, and the loop's next response overwrites it.
struct HTTP2FieldBlock: ~Copyable {
    /// The position of one line in the memory.
    struct Line {
        let start: Int
        let nameCount: Int
        let valueCount: Int
        /// Whether no compressor may add it to its table.
        ///
        /// The length of a secret could be guessed from the table (RFC 7541 §7.1.3). A value that never returns would
        /// replace useful ones, and occupy 4 KiB of each idle connection.
        let isNeverIndexed: Bool
    }

    /// The memory that is kept for the next section; larger memory is freed.
    private static let keptBytes = 4096

    private var memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: keptBytes)
    private var count = 0
    private(set) var lines: [Line] = []

    /// Creates an empty header section.
    init() {}

    /// The head of an interim response.
    init(interim status: Int) { append(":status", String(status)) }

    /// The trailers of a response; invalid ones are omitted, since it is too late to report an error.
    init(trailers: HTTPFields) {
        for field in trailers where !field.name.isSetByTransport && !Self.isOmitted(field.name) {
            do { try field.validate() } catch { continue }
            append(field.name.rawName, field.value)
        }
    }

    deinit { memory.deallocate() }

    /// The names and values of all lines in sequence; valid until the section changes.
    var bytes: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(rebasing: memory[..<count]) }

    /// Replaces the section by the head of a response.
    ///
    /// - Throws: `HTTPError.invalidField` for a field that would break the framing.
    mutating func set(_ response: HTTPResponse, length: String?, date: String) throws(HTTPError) {
        removeAll()
        append(":status", response.status == .ok ? "200" : String(response.status.rawValue))
        append("date", date)
        if let length { append("content-length", length) }
        try response.fields.forEachLine { field throws(HTTPError) in
            try field.validate()
            if !Self.isOmitted(field.name) {
                append(field.name.rawName, field.value, isNeverIndexed: Self.isNeverIndexed(field.name))
            }
        }
    }

    private mutating func removeAll() {
        if memory.count > Self.keptBytes { resize(to: Self.keptBytes, keeping: 0) }
        count = 0
        lines.removeAll(keepingCapacity: lines.capacity <= Self.keptBytes / 32)
    }

    /// Appends a line, its name in lower case and its value without the whitespace around it (RFC 9113 §8.2, §8.2.1).
    private mutating func append(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
        let start = count
        append(name)
        let nameCount = count - start
        UnsafeMutableBufferPointer(rebasing: memory[start..<count]).lowercaseASCII()
        append(value, trimmingBlanks: true)
        lines.append(
            Line(
                start: start, nameCount: nameCount, valueCount: count - start - nameCount,
                isNeverIndexed: isNeverIndexed))
    }

    private mutating func append(_ text: String, trimmingBlanks: Bool = false) {
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { append($0, trimmingBlanks) }
        if isCopied == nil { Array(text.utf8).withUnsafeBufferPointer { append($0, trimmingBlanks) } }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ trimmingBlanks: Bool) {
        var (first, end) = (0, bytes.count)
        if trimmingBlanks {
            while first < end, isBlank(bytes[end - 1]) { end -= 1 }
            while first < end, isBlank(bytes[first]) { first += 1 }
        }
        guard first < end, let source = bytes.baseAddress else { return }
        if end - first > memory.count - count { resize(to: 2 * (count + end - first), keeping: count) }
        guard let target = memory.baseAddress else { return }
        (target + count).update(from: source + first, count: end - first)
        count += end - first
    }

    private mutating func resize(to capacity: Int, keeping kept: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        _ = larger.update(fromContentsOf: memory[..<kept])
        memory.deallocate()
        memory = larger
    }

    /// Whether the server sets the field itself, does not disclose it, or may not send it (RFC 9113 §8.2.2).
    private static func isOmitted(_ name: HTTPFieldName) -> Bool {
        switch name.rawName.utf8.count {
        case 7: name == upgrade
        case 16: name == proxyConnection
        default: ResponseWriter.isSetByServer(name)
        }
    }

    private static func isNeverIndexed(_ name: HTTPFieldName) -> Bool {
        switch name.rawName.utf8.count {
        case 8: name == .location
        case 9: name == .rateLimit
        case 10: name == .setCookie
        case 12: name == .requestID
        case 13: name == .authorization
        default: false
        }
    }

    private static let proxyConnection: HTTPFieldName = "Proxy-Connection"
    private static let upgrade: HTTPFieldName = "Upgrade"
}
