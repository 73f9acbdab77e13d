// SPDX-License-Identifier: Apache-2.0

/// Addresses of the internet and prefixes of them.
enum IPForm {
    static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        octets(bytes) != nil || groups(bytes, allowsZone: true) != nil
    }

    /// The four numbers of an IPv4 address (RFC 3986 §3.2.2); nil for a text that is none.
    static func octets(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard let number = number(part, upTo: 255) else { return nil }
            octets.append(UInt8(number))
        }
        return octets
    }

    /// A number without zeros in front.
    private static func number(_ bytes: ArraySlice<UInt8>, upTo limit: Int) -> Int? {
        guard (1...3).contains(bytes.count), bytes.allSatisfy(\.isDigit) else { return nil }
        guard bytes.count == 1 || bytes.first != 0x30 else { return nil }
        let value = bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= limit ? value : nil
    }

    /// The eight numbers of an IPv6 address (RFC 4291 §2.2); nil for a text that is none.
    ///
    /// - Parameter allowsZone: Whether a zone may follow a `%` (RFC 4007 §11).
    static func groups(_ bytes: ArraySlice<UInt8>, allowsZone: Bool) -> [UInt16]? {
        var address = bytes
        if let percent = bytes.firstIndex(of: UInt8(ascii: "%")) {
            guard allowsZone, percent + 1 < bytes.endIndex, !bytes[percent...].contains(0) else { return nil }
            address = bytes[..<percent]
        }
        let text = Array(address)
        guard let gap = firstGap(text) else {
            let groups = groups(of: text)
            return groups?.count == 8 ? groups : nil
        }
        // What comes before two colons may not hold dots, since those belong at the end.
        let head = Array(text[..<gap])
        guard !head.contains(UInt8(ascii: ".")), let before = groups(of: head),
            let after = groups(of: Array(text[(gap + 2)...])), before.count + after.count < 8
        else { return nil }
        return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    private static func firstGap(_ text: [UInt8]) -> Int? {
        text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    }

    private static func groups(of text: [UInt8]) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let octets = octets(part) else { return nil }
                groups += [UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3])]
                continue
            }
            guard (1...4).contains(part.count), part.allSatisfy(\.isHexDigit),
                let value = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            groups.append(value)
        }
        return groups
    }

    /// An address and the number of its bits that count.
    ///
    /// - Parameter isStrict: Whether the bits behind them must be zero.
    static func isPrefix(_ bytes: ArraySlice<UInt8>, versions: Set<Int>, isStrict: Bool) -> Bool {
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let (address, length) = (bytes[..<slash], bytes[(slash + 1)...])
        if versions.contains(4), let octets = octets(address), let bits = number(length, upTo: 32) {
            return !isStrict || isZero(octets, behind: bits)
        }
        if versions.contains(6), let groups = groups(address, allowsZone: false), let bits = number(length, upTo: 128) {
            return !isStrict || isZero(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, behind: bits)
        }
        return false
    }

    private static func isZero(_ bytes: [UInt8], behind bits: Int) -> Bool {
        bytes.enumerated().allSatisfy { index, byte in
            let kept = min(max(bits - index * 8, 0), 8)
            return kept == 8 || byte << UInt8(kept) == 0
        }
    }
}
