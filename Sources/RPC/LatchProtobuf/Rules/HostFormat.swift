// SPDX-License-Identifier: Apache-2.0

/// The formats of host names, and of hosts with ports.
enum HostFormat {
    /// Whether bytes are a host name label (RFC 1123 §2.1): at most 63 letters, digits and hyphens, but no hyphen at an
    /// end.
    static func isLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...63).contains(bytes.count), let first = bytes.first, let last = bytes.last else { return false }
        let hyphen = UInt8(ascii: "-")
        return first != hyphen && last != hyphen && bytes.allSatisfy { $0.isLetter || $0.isDigit || $0 == hyphen }
    }

    /// Whether bytes are a host name of at most 253 bytes: labels separated by dots, with an optional dot at the end.
    ///
    /// The last label must not consist of digits only.
    static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 253 else { return false }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy(isLabel) && labels.last?.allSatisfy(\.isDigit) == false
    }

    /// Whether bytes are `host:port`; an IPv6 address is in brackets.
    static func isHostAndPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            IPFormat.number(bytes[(colon + 1)...], upTo: 65_535) != nil
        else { return false }
        let host = bytes[..<colon]
        if host.first == UInt8(ascii: "[") {
            guard host.last == UInt8(ascii: "]"), host.count > 2 else { return false }
            return IPFormat.groups(host.dropFirst().dropLast(), allowsZone: true) != nil
        }
        return isName(host) || IPFormat.octets(host) != nil
    }
}

/// The formats of IP addresses and prefixes.
enum IPFormat {
    static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        octets(bytes) != nil || groups(bytes, allowsZone: true) != nil
    }

    /// Parses an IPv4 address (RFC 3986 §3.2.2); nil if it is malformed.
    static func octets(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let octets = parts.compactMap { number($0, upTo: 255).map { UInt8($0) } }
        return octets.count == 4 ? octets : nil
    }

    /// Parses a number without leading zeros.
    static func number(_ bytes: ArraySlice<UInt8>, upTo limit: Int) -> Int? {
        guard (1...5).contains(bytes.count), bytes.allSatisfy(\.isDigit) else { return nil }
        guard bytes.count == 1 || bytes.first != 0x30 else { return nil }
        let value = bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= limit ? value : nil
    }

    /// Parses an IPv6 address (RFC 4291 §2.2) into eight groups; nil if it is malformed.
    ///
    /// - Parameter allowsZone: Whether a zone may follow a `%` (RFC 4007 §11).
    static func groups(_ bytes: ArraySlice<UInt8>, allowsZone: Bool) -> [UInt16]? {
        var address = bytes
        if let percent = bytes.firstIndex(of: UInt8(ascii: "%")) {
            guard allowsZone, percent + 1 < bytes.endIndex, !bytes[percent...].contains(0) else { return nil }
            address = bytes[..<percent]
        }
        let text = Array(address)
        guard let gap = doubleColon(text) else {
            let groups = groups(of: text)
            return groups?.count == 8 ? groups : nil
        }
        // An embedded IPv4 address is permitted only at the end.
        let head = Array(text[..<gap])
        guard !head.contains(UInt8(ascii: ".")), let before = groups(of: head),
            let after = groups(of: Array(text[(gap + 2)...])), before.count + after.count < 8
        else { return nil }
        return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    private static func doubleColon(_ text: [UInt8]) -> Int? {
        text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    }

    private static func groups(of text: [UInt8]) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var end: [UInt16] = []
        if let last = parts.last, last.contains(UInt8(ascii: ".")) {
            guard let octets = octets(last) else { return nil }
            end = [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
            parts.removeLast()
        }
        guard parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy(\.isHexDigit) }) else { return nil }
        return parts.compactMap { UInt16(String(decoding: $0, as: UTF8.self), radix: 16) } + end
    }

    /// Whether bytes are an address with a prefix length.
    ///
    /// - Parameter isStrict: Whether the bits after the prefix must be zero.
    static func isPrefix(_ bytes: ArraySlice<UInt8>, versions: Set<Int>, isStrict: Bool) -> Bool {
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let (address, length) = (bytes[..<slash], bytes[(slash + 1)...])
        if versions.contains(4), let octets = octets(address), let bits = number(length, upTo: 32) {
            return !isStrict || isZero(octets, after: bits)
        }
        if versions.contains(6), let groups = groups(address, allowsZone: false), let bits = number(length, upTo: 128) {
            return !isStrict || isZero(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, after: bits)
        }
        return false
    }

    private static func isZero(_ bytes: [UInt8], after bits: Int) -> Bool {
        bytes.enumerated().allSatisfy { index, byte in
            let kept = min(max(bits - index * 8, 0), 8)
            return kept == 8 || byte << UInt8(kept) == 0
        }
    }
}
