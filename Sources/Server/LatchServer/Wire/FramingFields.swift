// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// What the fields say about where a message ends and what follows, each refused where it could be read in two ways.
struct FramingFields {
    /// What `Content-Length` says; nil where there is none.
    ///
    /// It may be over every limit.
    private(set) var contentLength: Int?
    /// Whether `Transfer-Encoding: chunked` stands there, which excludes a length.
    private(set) var isChunked = false
    /// The `Host` field as it came, already found to be a host.
    private(set) var host: String?
    /// Whether the client wants this exchange to be the last.
    private(set) var closes = false
    /// Whether the client asks before it sends its content; HTTP/1.0 cannot ask (RFC 9110 §10.1.1).
    private(set) var expectsContinue = false

    /// Takes one field line into account.
    mutating func note(_ name: HTTPFieldName, _ value: String) throws(Refusal) {
        let canonical = name.canonicalName
        // Most names have another length, and comparing numbers is cheaper than comparing text.
        switch canonical.utf8.count {
        case 14 where canonical == "content-length": try noteContentLength(value)
        case 17 where canonical == "transfer-encoding": try noteTransferEncoding(value)
        case 4 where canonical == "host": try noteHost(value)
        case 10 where canonical == "connection":
            // RFC 9110 §7.6.1: options compare without case.
            closes = closes || value.utf8.split(separator: 0x2C).contains { withoutBlanks($0).lowercased() == "close" }
        case 6 where canonical == "expect":
            // RFC 9110 §10.1.1: the only expectation there is.
            guard value.lowercased() == "100-continue" else {
                throw Refusal("The expectation cannot be met.", status: 417)
            }
            expectsContinue = true
        default: break
        }
    }

    /// RFC 9112 §6.3: digits alone, once; even two equal lines are refused, since not everyone counts them as one.
    private mutating func noteContentLength(_ value: String) throws(Refusal) {
        guard contentLength == nil else { throw Refusal("Content-Length stands twice.") }
        guard !isChunked else { throw Self.twoLengths }
        guard !value.isEmpty, value.utf8.allSatisfy(isDigit) else { throw Refusal("Content-Length is malformed.") }
        guard let length = Int(value) else { throw .bodyTooLarge }
        contentLength = length
    }

    /// RFC 9112 §6.1: one `chunked` and nothing else; other codings are not served and no framing is guessed.
    private mutating func noteTransferEncoding(_ value: String) throws(Refusal) {
        guard contentLength == nil else { throw Self.twoLengths }
        guard !isChunked, value.lowercased() == "chunked" else {
            throw Refusal("The Transfer-Encoding is not one that is served.")
        }
        isChunked = true
    }

    /// RFC 9112 §3.2: once and valid; a proxy in front may have routed by the one that we would drop.
    private mutating func noteHost(_ value: String) throws(Refusal) {
        guard host == nil else { throw Refusal("The Host field stands twice.") }
        guard isValidHost(value.utf8) else { throw Refusal("The Host field is malformed.") }
        host = value
    }

    /// RFC 9112 §6.1: both together are what request smuggling is made of.
    private static let twoLengths = Refusal("Content-Length and Transfer-Encoding stand together.")
}

/// RFC 9110 §7.2: `uri-host [":" port]`, without user information.
func isValidHost(_ host: String.UTF8View) -> Bool {
    host.withContiguousStorageIfAvailable(isValidHost) ?? Array(host).withUnsafeBufferPointer(isValidHost)
}

private func isValidHost(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
    var end = 0
    if host.first == 0x5B {
        // RFC 3986 §3.2.2: an IPv6 address in brackets; zones and future kinds are not for a Host field.
        while end + 1 < host.count, isAddressByte(host[end + 1]) { end += 1 }
        guard end > 1, end + 1 < host.count, host[end + 1] == 0x5D else { return false }
        end += 2
    } else {
        while end < host.count, isRegisteredNameByte(host[end]) { end += 1 }
        guard end > 0 else { return false }
    }
    guard end < host.count else { return true }
    let port = host[(end + 1)...]
    return host[end] == 0x3A && port.count <= 5 && port.allSatisfy(isDigit)
}

private func isAddressByte(_ byte: UInt8) -> Bool {
    hexadecimalDigit(byte) != nil || byte == 0x3A || byte == 0x2E
}

/// RFC 3986 §3.2.2: unreserved, sub-delims and the percent sign.
private func isRegisteredNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x25, 0x21, 0x24, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x3B, 0x3D: true
    default: false
    }
}
