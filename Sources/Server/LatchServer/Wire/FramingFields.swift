// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The fields that determine the end of a message, what follows it, and its sender; ambiguous ones are rejected.
struct FramingFields {
    /// The value of `Content-Length`, which may exceed every limit; nil if the field is missing.
    private(set) var contentLength: Int?
    /// Whether `Transfer-Encoding: chunked` is present, which excludes a length.
    private(set) var isChunked = false
    /// The value of the `Host` field, already validated.
    private(set) var host: String?
    /// Whether the client wants the connection to close after this exchange.
    private(set) var closes = false
    /// Whether the client expects `100 Continue` (RFC 9110 §10.1.1).
    private(set) var expectsContinue = false

    /// Whether there is an `Authorization` field.
    private var isAuthorized = false

    /// Records one field line.
    mutating func record(_ field: HTTPFields.Field) throws(Rejection) {
        let (name, value) = (field.name, field.value)
        // Most names have another length, and comparing integers is cheaper than comparing names.
        switch name.rawName.utf8.count {
        case 14 where name == .contentLength: try recordContentLength(value)
        case 17 where name == .transferEncoding: try recordTransferEncoding(value)
        case 4 where name == .host: try recordHost(value)
        case 13 where name == .authorization:
            // RFC 9110 §5.3: it must not be repeated, since a proxy may have checked the other one.
            guard !isAuthorized else { throw Rejection("The Authorization field is repeated.") }
            isAuthorized = true
        case 10 where name == .connection:
            // RFC 9110 §7.6.1: options compare without case.
            closes =
                closes
                || value.utf8.split(separator: 0x2C).contains { Substring(trimmed($0)).lowercasedASCII() == "close" }
        case 6 where name == .expect:
            // RFC 9110 §10.1.1: no other expectation is defined.
            guard value.lowercasedASCII() == "100-continue" else {
                throw Rejection("The expectation cannot be met.", status: 417)
            }
            expectsContinue = true
        default: break
        }
    }

    /// Parses `Content-Length`, which must be digits only (RFC 9112 §6.3).
    ///
    /// Two equal lines are also rejected, since not every parser merges them.
    private mutating func recordContentLength(_ value: String) throws(Rejection) {
        guard contentLength == nil else { throw Rejection("Content-Length is repeated.") }
        guard !isChunked else { throw Self.twoLengths }
        guard !value.isEmpty, value.utf8.allSatisfy(isDigit) else { throw Rejection("Content-Length is malformed.") }
        guard let length = Int(value) else { throw .contentTooLarge }
        contentLength = length
    }

    /// Parses `Transfer-Encoding`, which must be a single `chunked` (RFC 9112 §6.1); framing is never guessed.
    private mutating func recordTransferEncoding(_ value: String) throws(Rejection) {
        guard contentLength == nil else { throw Self.twoLengths }
        guard !isChunked, value.lowercasedASCII() == "chunked" else {
            throw Rejection("The Transfer-Encoding is not supported.")
        }
        isChunked = true
    }

    /// Parses `Host`, which must be valid and unique (RFC 9112 §3.2), since a proxy may have used the other one.
    private mutating func recordHost(_ value: String) throws(Rejection) {
        guard host == nil else { throw Rejection("The Host field is repeated.") }
        // A client without an authority, such as a load balancer's probe, sends an empty one.
        guard value.isEmpty || isValidHost(value.utf8) else { throw Rejection("The Host field is malformed.") }
        host = value
    }

    /// Both fields together, which enable request smuggling (RFC 9112 §6.1).
    private static let twoLengths = Rejection("Content-Length and Transfer-Encoding are both present.")
}

/// Returns whether text is `uri-host [":" port]` (RFC 9110 §7.2), without user information.
func isValidHost(_ host: String.UTF8View) -> Bool {
    host.withContiguousStorageIfAvailable(isValidHost) ?? Array(host).withUnsafeBufferPointer(isValidHost)
}

func isValidHost(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
    var end = 0
    if host.first == 0x5B {
        // RFC 3986 §3.2.2: an IPv6 address in brackets; zones and IPvFuture are not supported.
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
    Hex.value(of: byte) != nil || byte == 0x3A || byte == 0x2E
}

/// Whether a byte may occur in a `reg-name` (RFC 3986 §3.2.2): unreserved, sub-delims and the percent sign.
private func isRegisteredNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x25, 0x21, 0x24, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x3B, 0x3D: true
    default: false
    }
}
