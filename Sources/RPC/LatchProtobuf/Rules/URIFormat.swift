// SPDX-License-Identifier: Apache-2.0

/// A parser of URIs and URI references (RFC 3986 appendix A, with the zones of RFC 6874).
struct URIFormat {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    /// Whether bytes are a URI with its scheme.
    static func isURI(_ bytes: ArraySlice<UInt8>) -> Bool {
        var form = URIFormat(bytes)
        return form.scheme() && form.rest(isRelative: false)
    }

    /// Whether bytes are a URI or a relative reference.
    static func isReference(_ bytes: ArraySlice<UInt8>) -> Bool {
        if isURI(bytes) { return true }
        var form = URIFormat(bytes)
        return form.rest(isRelative: true)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func scheme() -> Bool {
        guard next?.isLetter == true else { return false }
        while let next, next.isLetter || next.isDigit || "+-.".utf8.contains(next) { index += 1 }
        return take(":")
    }

    /// Consumes the authority, the path, the query and the fragment, up to the end.
    private mutating func rest(isRelative: Bool) -> Bool {
        if bytes[index...].starts(with: "//".utf8) {
            index += 2
            guard authority() else { return false }
            guard next == nil || "/?#".utf8.contains(next ?? 0) else { return false }
        } else if isRelative {
            // RFC 3986 §4.2: a colon in the first segment would turn it into a scheme.
            let first = bytes[index...].prefix { !"/?#".utf8.contains($0) }
            guard !first.contains(UInt8(ascii: ":")) else { return false }
        }
        characters { $0.isPathCharacter || $0 == UInt8(ascii: "/") }
        if take("?") { characters(while: \.isQueryCharacter) }
        if take("#") { characters(while: \.isQueryCharacter) }
        return index == bytes.count
    }

    /// Consumes matching and percent-encoded characters.
    private mutating func characters(while predicate: (UInt8) -> Bool) {
        while let next {
            if predicate(next) {
                index += 1
            } else if next == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1].isHexDigit,
                bytes[index + 2].isHexDigit
            {
                index += 3
            } else {
                return
            }
        }
    }

    // MARK: Authority

    private mutating func authority() -> Bool {
        let end = bytes[index...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        if let at = bytes[index..<end].firstIndex(of: UInt8(ascii: "@")) {
            characters { $0.isNameCharacter || $0 == UInt8(ascii: ":") }
            guard index == at else { return false }
            index += 1
        }
        guard host() else { return false }
        if take(":") { while next?.isDigit == true { index += 1 } }
        return true
    }

    private mutating func host() -> Bool {
        if take("[") {
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "]")) else { return false }
            let literal = bytes[index..<end]
            index = end + 1
            return Self.isLiteral(literal)
        }
        let start = index
        characters(while: \.isNameCharacter)
        return Self.decodesToText(bytes[start..<index])
    }

    private static func isLiteral(_ literal: ArraySlice<UInt8>) -> Bool {
        if literal.first == UInt8(ascii: "v") {
            let parts = literal.dropFirst().split(
                separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && parts[0].allSatisfy(\.isHexDigit) && !parts[1].isEmpty
                && parts[1].allSatisfy { $0.isNameCharacter || $0 == UInt8(ascii: ":") }
        }
        // RFC 6874 §2: a zone follows a percent-encoded percent sign.
        guard let percent = literal.firstIndex(of: UInt8(ascii: "%")) else {
            return IPFormat.groups(literal, allowsZone: false) != nil
        }
        guard literal[percent...].starts(with: "%25".utf8) else { return false }
        var zone = URIFormat(literal[(percent + 3)...])
        zone.characters(while: \.isUnreserved)
        return zone.index > 0 && zone.index == zone.bytes.count && decodesToText(zone.bytes[...])
            && IPFormat.groups(literal[..<percent], allowsZone: false) != nil
    }

    /// Whether percent-encoded bytes decode to UTF-8 (RFC 3986 §3.2.2).
    private static func decodesToText(_ bytes: ArraySlice<UInt8>) -> Bool {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            decoded.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0xFF)
            rest = rest.dropFirst(2)
        }
        return String(validating: decoded, as: UTF8.self) != nil
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool { isLetter || isDigit || "-._~".utf8.contains(self) }
    fileprivate var isNameCharacter: Bool { isUnreserved || "!$&'()*+,;=".utf8.contains(self) }
    fileprivate var isPathCharacter: Bool { isNameCharacter || self == UInt8(ascii: ":") || self == UInt8(ascii: "@") }
    fileprivate var isQueryCharacter: Bool { isPathCharacter || self == UInt8(ascii: "/") || self == UInt8(ascii: "?") }
}
