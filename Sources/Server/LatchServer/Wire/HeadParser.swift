// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Reads a head that the scanner found whole: only CRLF ends a line, and there are no other controls but tabs.
struct HeadParser {
    /// The head with the empty line at its end, which the scanner has promised: so lines need no end check.
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Where the next line begins.
    private var position = 0
    private var method = HTTPMethod.get
    /// The target as it came, in one of the four forms of RFC 9112 §3.2.
    private var target = ""
    /// Whether the client knows keep-alive, chunks and 100; anything above 1.1 does (RFC 9110 §2.5).
    private var isHTTP11 = true
    private var fields = HTTPFields()
    private var framing = FramingFields()

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Reads the head.
    ///
    /// - Parameter defaultAuthority: What stands for the host where HTTP/1.0 names none.
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, names: inout FieldNameCache, defaultAuthority: String
    ) throws(Refusal) -> RequestHead {
        var parser = HeadParser(bytes)
        try parser.readRequestLine()
        try parser.readFields(&names)
        return try parser.head(defaultAuthority: defaultAuthority)
    }

    /// The next line without its CRLF.
    ///
    /// A CR ends it: the scanner lets none stand alone.
    private mutating func nextLine() -> UnsafeBufferPointer<UInt8> {
        let start = position
        while bytes[position] != 0x0D { position += 1 }
        defer { position += 2 }
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// RFC 9112 §3: method, target and version with one space between.
    private mutating func readRequestLine() throws(Refusal) {
        let line = nextLine()
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            throw Refusal("The request line is malformed.")
        }
        guard first > 0, line[..<first].allSatisfy(isTokenByte) else { throw Refusal("The method is malformed.") }
        let target = line[(first + 1)..<last]
        // RFC 3986 §2: a target is ASCII without spaces, and a fragment is never sent.
        guard !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
            throw Refusal("The request target is malformed.")
        }
        try readVersion(line[(last + 1)...])
        method = HTTPMethod(rawValue: String(decoding: line[..<first], as: UTF8.self))
        self.target = String(decoding: target, as: UTF8.self)
    }

    /// RFC 9112 §2.3: HTTP/1.1 and 1.0; another version is 505.
    private mutating func readVersion(_ version: Slice<UnsafeBufferPointer<UInt8>>) throws(Refusal) {
        let isWellFormed = version.count == 8 && version.starts(with: "HTTP/".utf8)
        guard isWellFormed, isDigit(version[version.startIndex + 5]), version[version.startIndex + 6] == 0x2E,
            isDigit(version[version.startIndex + 7])
        else { throw Refusal("The HTTP version is malformed.") }
        let digits = (version[version.startIndex + 5], version[version.startIndex + 7])
        guard digits.0 == 0x31 else { throw Refusal("The HTTP version is not served.", status: 505) }
        isHTTP11 = digits.1 != 0x30
    }

    /// RFC 9112 §5: each line to its field, in order and with its spelling.
    private mutating func readFields(_ names: inout FieldNameCache) throws(Refusal) {
        fields.reserveCapacity(12)
        while true {
            let line = nextLine()
            guard let first = line.first else { return }
            // RFC 9112 §5.2: obs-fold is refused, since not everyone unfolds it.
            guard first != 0x20, first != 0x09 else { throw Refusal("A header field is folded.") }
            // RFC 9112 §5.1: no whitespace between name and colon; a space is no token character.
            guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(isTokenByte) else {
                throw Refusal("A header field's name is malformed.")
            }
            let name = names.name(UnsafeBufferPointer(rebasing: line[..<colon]))
            let value = withoutSurroundingBlanks(line[(colon + 1)...])
            fields.append(value, for: name)
            try framing.note(name, value)
        }
    }

    /// RFC 9112 §5.1: blanks around a value are no part of it.
    ///
    /// Bytes that are no UTF-8 become U+FFFD.
    private func withoutSurroundingBlanks(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }

    /// Puts together what the request line and the fields say, and refuses where they disagree.
    private func head(defaultAuthority: String) throws(Refusal) -> RequestHead {
        var authority = framing.host ?? defaultAuthority
        // RFC 9112 §3.2: an HTTP/1.1 request without Host, or any with an invalid one, is 400.
        guard framing.host != nil || !isHTTP11 else { throw Refusal("The Host field is missing.") }
        var path = target
        // RFC 9110 §9.3.6: a client takes 2xx to CONNECT, whatever its target, for the beginning of a tunnel.
        guard method.rawValue != "CONNECT" else { throw Refusal("CONNECT is not served.") }
        if target == "*", method == .options {
            path = "*"
        } else if target.utf8.first != 0x2F {
            (authority, path) = try resolved(target, host: framing.host)
        }
        // RFC 9112 §6.1: Transfer-Encoding in HTTP/1.0 is faulty framing.
        guard isHTTP11 || !framing.isChunked else { throw Refusal("HTTP/1.0 has no Transfer-Encoding.") }
        return RequestHead(
            method: method, path: path, authority: authority, fields: fields,
            framing: framing.isChunked ? .chunked : .length(framing.contentLength ?? 0),
            keepsAlive: isHTTP11 && !framing.closes, takesChunks: isHTTP11,
            expectsContinue: isHTTP11 && framing.expectsContinue)
    }

    /// RFC 9112 §3.2.2: the absolute form, whose host is held to what a `Host` field may be.
    private func resolved(_ target: String, host: String?) throws(Refusal) -> (authority: String, path: String) {
        do {
            let (origin, path) = try HTTPOrigin.split(target)
            // Whoever routed by the one and whoever reads the other must mean the same host.
            guard host.map({ HTTPOrigin(scheme: origin.scheme, authority: $0) == origin }) ?? true else {
                throw Refusal("The Host field is not the target's.")
            }
            guard isValidHost(origin.authority.utf8) else { throw Refusal("The target's host is malformed.") }
            return (origin.authority, path)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal("The request target is malformed.")
        }
    }
}

/// ASCII only: `Character.isNumber` would take digits of other scripts for a length.
func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
