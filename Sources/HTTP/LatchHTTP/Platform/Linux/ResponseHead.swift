// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Reads the status line and the field lines that libcurl has checked and cut.
enum ResponseHead {
    /// How many bytes the head of a response may have.
    static let maximumBytes = 256 << 10

    /// What each block of fields begins with; it tells a final answer from the interim ones before it.
    static let protocolName: [UInt8] = Array("HTTP/".utf8)
    /// The same of HTTP/2.
    static let secondProtocolName: [UInt8] = Array("HTTP/2".utf8)

    /// The response without its content.
    ///
    /// Lines may end with LF alone, as RFC 9112 §2.2 lets a recipient read them; the CR before it is trimmed.
    ///
    /// - Throws: `HTTPError.malformedMessage` where there is no status of three digits.
    static func parse(_ head: [UInt8]) throws(HTTPError) -> HTTPResponse {
        let parsed = head.withUnsafeBufferPointer { parse($0) }
        guard let parsed else { throw .malformedMessage("The answer has no status line.") }
        return parsed
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPResponse? {
        let lineEnd = end(of: 0, in: bytes)
        guard let status = status(in: UnsafeBufferPointer(rebasing: bytes[..<lineEnd])) else { return nil }
        var fields = HTTPFields()
        fields.reserveCapacity(12)
        add(bytes, from: lineEnd + 1, to: &fields)
        return HTTPResponse(status: status, fields: fields)
    }

    /// The fields of lines without a status line, as they stand after the content (RFC 9112 §7.1.2).
    static func fields(_ lines: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        lines.withUnsafeBufferPointer { add($0, from: 0, to: &fields) }
        return fields
    }

    private static func add(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int, to fields: inout HTTPFields) {
        var start = first
        while start < bytes.count {
            let lineEnd = end(of: start, in: bytes)
            if start < lineEnd { add(UnsafeBufferPointer(rebasing: bytes[start..<lineEnd]), to: &fields) }
            start = lineEnd + 1
        }
    }

    /// Where the line that begins at `start` ends: at its LF or at the end of all.
    private static func end(of start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != 0x0A { index += 1 }
        return index
    }

    /// RFC 9112 §4: `HTTP/1.1 200 OK`; the reason is ignored, HTTP/2 has none.
    private static func status(in line: UnsafeBufferPointer<UInt8>) -> HTTPStatus? {
        guard let space = line.firstIndex(of: 0x20), space + 3 < line.count else { return nil }
        var code = 0
        for byte in line[(space + 1)...(space + 3)] {
            guard (0x30...0x39).contains(byte) else { return nil }
            code = code * 10 + Int(byte - 0x30)
        }
        return HTTPStatus(rawValue: code)
    }

    private static func add(_ line: UnsafeBufferPointer<UInt8>, to fields: inout HTTPFields) {
        // libcurl lets lines pass that are no fields (no colon, folded, an odd name); nobody could read them.
        guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(isTokenByte) else {
            return
        }
        var start = colon + 1
        var end = line.count
        while start < end, isBlank(line[start]) { start += 1 }
        while end > start, isBlank(line[end - 1]) { end -= 1 }
        let name = HTTPFieldName(ascii: UnsafeBufferPointer(rebasing: line[..<colon]))
        fields.append(String(decoding: line[start..<end], as: UTF8.self), for: name)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
#endif
