// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A parser of the status line and the field lines that libcurl has validated and split.
enum ResponseHead {
    /// The maximum number of bytes of a response head.
    static let maximumBytes = 256 << 10

    /// The beginning of each block of fields, which separates a final response from interim ones.
    static let protocolName: [UInt8] = Array("HTTP/".utf8)
    /// The beginning of a head of HTTP/1.
    static let firstProtocolName: [UInt8] = Array("HTTP/1".utf8)
    /// The beginning of an HTTP/2 head.
    static let secondProtocolName: [UInt8] = Array("HTTP/2".utf8)

    /// Parses a response without its content.
    ///
    /// Lines may end with a single LF, which RFC 9112 §2.2 allows a recipient to accept; the CR before it is trimmed.
    ///
    /// - Throws: `HTTPError.malformedMessage` without a status of three digits.
    static func parse(_ head: [UInt8]) throws(HTTPError) -> HTTPResponse {
        let parsed = head.withUnsafeBufferPointer { parse($0) }
        guard let parsed else { throw .malformedMessage("The response has no status line.") }
        guard !hasTwoLengths(parsed.fields) else {
            throw .malformedMessage("The response has two different Content-Length values.")
        }
        return parsed
    }

    /// Returns the first transfer coding of a head that is not supported; nil if there is none.
    ///
    /// Supported are `chunked`, once and last, and `identity`. RFC 9112 §7 allows no other coding in a response to a
    /// request without a TE field. Some versions of libcurl would return the coded bytes as the content.
    static func unknownTransferCoding(of head: [UInt8]) -> String? {
        guard let fields = try? parse(head).fields else { return nil }
        var isChunked = false
        for value in fields.values(of: .transferEncoding) {
            for element in value.utf8.split(separator: 0x2C) {
                let name = String(decoding: trimmed(element), as: UTF8.self)
                if name.isEmpty || name.equalsIgnoringCase("identity") { continue }
                guard !isChunked, name.equalsIgnoringCase("chunked") else { return name }
                isChunked = true
            }
        }
        return nil
    }

    /// Whether there are two different lengths, so that the end of the response is unclear (RFC 9112 §6.3).
    private static func hasTwoLengths(_ fields: HTTPFields) -> Bool {
        var length: String?
        for line in fields where line.name.rawName.utf8.count == 14 && line.name == .contentLength {
            if let length, length != line.value { return true }
            length = line.value
        }
        return false
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPResponse? {
        let lineEnd = end(of: 0, in: bytes)
        guard let status = status(in: UnsafeBufferPointer(rebasing: bytes[..<lineEnd])) else { return nil }
        var fields = HTTPFields()
        fields.reserveCapacity(12)
        add(bytes, from: lineEnd + 1, to: &fields)
        return HTTPResponse(status: status, fields: fields)
    }

    /// Parses field lines without a status line, such as those after the content (RFC 9112 §7.1.2).
    static func fields(_ lines: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        lines.withUnsafeBufferPointer { add($0, from: 0, to: &fields) }
        return fields
    }

    private static func add(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int, to fields: inout HTTPFields) {
        var start = first
        while start < bytes.count {
            let lineEnd = end(of: start, in: bytes)
            if lineEnd + 1 < bytes.count, isBlank(bytes[lineEnd + 1]), !isBlank(bytes[start]) {
                start = addFolded(bytes, from: start, lineEnd, to: &fields)
                continue
            }
            if start < lineEnd { add(UnsafeBufferPointer(rebasing: bytes[start..<lineEnd]), to: &fields) }
            start = lineEnd + 1
        }
    }

    /// Parses a field whose value continues in lines that begin with a blank, and returns the start of the next field.
    ///
    /// RFC 9112 §5.2: each fold, with the blanks around it, becomes a space.
    private static func addFolded(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ firstEnd: Int, to fields: inout HTTPFields
    ) -> Int {
        var (line, lineEnd) = (Array(bytes[start..<firstEnd]), firstEnd)
        while lineEnd + 1 < bytes.count, isBlank(bytes[lineEnd + 1]) {
            let next = lineEnd + 1
            lineEnd = end(of: next, in: bytes)
            while let last = line.last, isTrimmed(last) { line.removeLast() }
            line.append(0x20)
            line += bytes[next..<lineEnd].drop(while: isTrimmed)
        }
        line.withUnsafeBufferPointer { add($0, to: &fields) }
        return lineEnd + 1
    }

    /// Returns the end of the line that begins at `start`: its LF or the end of the buffer.
    private static func end(of start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != 0x0A { index += 1 }
        return index
    }

    /// Parses a status line (RFC 9112 §4: `HTTP/1.1 200 OK`); the reason phrase, which HTTP/2 does not have, is
    /// ignored.
    private static func status(in line: UnsafeBufferPointer<UInt8>) -> HTTPStatus? {
        guard let space = line.firstIndex(of: 0x20), space + 3 < line.count else { return nil }
        var code = 0
        for byte in line[(space + 1)...(space + 3)] {
            guard isDigit(byte) else { return nil }
            code = code * 10 + Int(byte - 0x30)
        }
        return HTTPStatus(rawValue: code)
    }

    private static func add(_ line: UnsafeBufferPointer<UInt8>, to fields: inout HTTPFields) {
        // libcurl passes lines that are not fields (no colon, an invalid name); they are skipped.
        guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(isTokenByte) else {
            return
        }
        var start = colon + 1
        var end = line.count
        while start < end, isTrimmed(line[start]) { start += 1 }
        while end > start, isTrimmed(line[end - 1]) { end -= 1 }
        let name = HTTPFieldName(String(decoding: line[..<colon], as: UTF8.self))
        fields.append(String(fieldValue: UnsafeBufferPointer(rebasing: line[start..<end])), for: name)
    }

    private static func isTrimmed(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
#endif
