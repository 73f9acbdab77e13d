// SPDX-License-Identifier: Apache-2.0

/// Names of hosts, and hosts with ports.
enum HostForm {
    /// A label of a name (RFC 1123 §2.1): 63 letters, digits and hyphens at most, no hyphen at an end.
    static func isLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...63).contains(bytes.count), let first = bytes.first, let last = bytes.last else { return false }
        let hyphen = UInt8(ascii: "-")
        return first != hyphen && last != hyphen && bytes.allSatisfy { $0.isLetter || $0.isDigit || $0 == hyphen }
    }

    /// Labels with dots between them, 253 bytes at most, the last one not of digits alone; a dot may end it.
    static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 253 else { return false }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy(isLabel) && labels.last?.allSatisfy(\.isDigit) == false
    }

    /// `host:port`, an IPv6 address in brackets.
    static func isHostAndPort(_ bytes: [UInt8]) -> Bool {
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), isPort(bytes[(colon + 1)...]) else { return false }
        let host = bytes[..<colon]
        if host.first == UInt8(ascii: "[") {
            guard host.last == UInt8(ascii: "]"), host.count > 2 else { return false }
            return IPForm.groups(host.dropFirst().dropLast(), allowsZone: true) != nil
        }
        return isName(host) || IPForm.octets(host) != nil
    }

    /// A number up to 65535 without zeros in front.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(bytes.count), bytes.allSatisfy(\.isDigit) else { return false }
        guard bytes.count == 1 || bytes.first != 0x30 else { return false }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65535
    }
}
