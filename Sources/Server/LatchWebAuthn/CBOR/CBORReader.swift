// SPDX-License-Identifier: Apache-2.0

/// A decoder of CBOR items whose memory use is bounded by the size of the input.
struct CBORReader {
    /// The maximum nesting depth of arrays and maps (CTAP 2.1 §8).
    private static let maximumDepth = 4

    /// The bytes that have not been read yet.
    private(set) var rest: ArraySlice<UInt8>

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    /// Decodes the next item.
    ///
    /// - Parameter depth: The number of arrays and maps around it.
    mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        let (major, argument) = try head()
        switch major {
        case 0, 1:
            guard let number = Int64(exactly: argument) else { throw .unsupportedItem }
            // RFC 8949 §3.1: the argument n of a negative integer stands for -1 - n.
            return .integer(major == 0 ? number : -1 - number)
        case 2: return .bytes(Array(try take(argument)))
        case 3:
            let text = Array(try take(argument))
            guard String(validating: text, as: UTF8.self) != nil else { throw .invalidText }
            return .text(text)
        case 4: return .array(try array(count: argument, depth: depth + 1))
        case 5: return .map(try map(count: argument, depth: depth + 1))
        case 7:
            switch argument {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .unsupportedItem
            }
        default: throw .unsupportedItem
        }
    }

    private mutating func array(count: UInt64, depth: Int) throws(CBORError) -> [CBORValue] {
        try check(count, depth: depth)
        var items: [CBORValue] = []
        for _ in 0..<count { items.append(try value(depth: depth)) }
        return items
    }

    private mutating func map(count: UInt64, depth: Int) throws(CBORError) -> [CBORValue: CBORValue] {
        try check(count, depth: depth)
        var members: [CBORValue: CBORValue] = [:]
        for _ in 0..<count {
            let key = try value(depth: depth)
            switch key {
            case .integer, .text: break
            default: throw .unsupportedItem
            }
            guard members.updateValue(try value(depth: depth), forKey: key) == nil else { throw .duplicateKey }
        }
        return members
    }

    /// Rejects nesting that is too deep, and more members than there are bytes.
    private func check(_ count: UInt64, depth: Int) throws(CBORError) {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        guard count <= UInt64(rest.count) else { throw .truncated }
    }

    /// Decodes the major type and the argument of an item (RFC 8949 §3).
    private mutating func head() throws(CBORError) -> (major: UInt8, argument: UInt64) {
        let first = try take(1)[rest.startIndex - 1]
        let (major, additional) = (first >> 5, first & 0x1F)
        switch additional {
        case 0..<24: return (major, UInt64(additional))
        case 24...27:
            // Longer simple values are floating-point numbers or unassigned.
            guard major != 7 else { throw .unsupportedItem }
            let bytes = try take(1 << UInt64(additional - 24))
            return (major, bytes.reduce(0) { $0 << 8 | UInt64($1) })
        case 31: throw major == 7 ? .unsupportedItem : .indefiniteLength
        default: throw .unsupportedItem
        }
    }

    private mutating func take(_ count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .truncated }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
