// SPDX-License-Identifier: Apache-2.0

/// A decoder of the binary encoding; each read is checked against the end of the innermost message.
struct BinaryDecoder: ~Copyable {
    var at: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>
    /// The number of additional nesting levels allowed.
    var depth: Int
    /// The number of bytes that the remaining values may allocate.
    var budget: Int
    let extensions: ExtensionSet
    let hasExtensions: Bool
    /// The path of field names to a failure, innermost first.
    var trail: [String] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, budget: Int = .max, extensions: ExtensionSet) {
        // An empty buffer has no address; its substitute is never read.
        at = bytes.baseAddress ?? UnsafePointer(Self.nothing)
        end = at + bytes.count
        self.depth = depth
        self.budget = budget
        self.extensions = extensions
        hasExtensions = !extensions.isEmpty
    }

    nonisolated(unsafe) private static let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

    @inline(__always)
    var remaining: Int { end - at }

    /// Charges the bytes that the next value allocates before it does, because two bytes of input can become an object
    /// of a hundred.
    @inline(__always)
    mutating func charge(_ bytes: Int) throws(DecodingFailure) {
        budget -= bytes
        guard budget >= 0 else { throw .overBudget }
    }

    /// Reads a tag: at most five bytes, and a field number from 1 to 2^29 - 1 (protobuf encoding, "Message Structure").
    @inline(__always)
    mutating func tag() throws(DecodingFailure) -> UInt32 {
        // The caller has checked that a byte is available.
        let byte = at.pointee
        if byte < 0x80 {
            guard byte >= 8 else { throw .badTag }
            at += 1
            return UInt32(byte)
        }
        if remaining > 1, at[1] < 0x80 {
            let tag = UInt32(byte & 0x7F) | UInt32(at[1]) << 7
            guard tag >= 8 else { throw .badTag }
            at += 2
            return tag
        }
        return try longTag()
    }

    @inline(never)
    private mutating func longTag() throws(DecodingFailure) -> UInt32 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 35, by: 7) {
            guard at < end else { throw .truncated }
            let byte = at.pointee
            at += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard value >= 8, value <= UInt64(UInt32.max) else { throw .badTag }
                return UInt32(value)
            }
        }
        throw .badTag
    }

    /// Reads a varint of at most ten bytes; drops bits above 64, as other implementations do.
    @inline(__always)
    mutating func varint() throws(DecodingFailure) -> UInt64 {
        guard at < end else { throw .truncated }
        let byte = at.pointee
        if byte < 0x80 {
            at += 1
            return UInt64(byte)
        }
        if remaining > 1, at[1] < 0x80 {
            let second = at[1]
            at += 2
            return UInt64(byte & 0x7F) | UInt64(second) << 7
        }
        return try longVarint()
    }

    @inline(never)
    private mutating func longVarint() throws(DecodingFailure) -> UInt64 {
        var next = at
        let limit = remaining < 10 ? end : at + 10
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while next < limit {
            let byte = next.pointee
            next += 1
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 {
                at = next
                return value
            }
            shift += 7
        }
        throw remaining < 10 ? .truncated : .longNumber
    }

    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) throws(DecodingFailure) -> Number {
        guard remaining >= MemoryLayout<Number>.size else { throw .truncated }
        defer { at += MemoryLayout<Number>.size }
        return Number(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: Number.self))
    }

    /// Reads a length, which is never more than the remaining bytes: an announced length never allocates memory by
    /// itself.
    ///
    /// It has 32 bits, and at most five bytes like a tag (protobuf encoding, "Condensed Reference Card").
    @inline(__always)
    mutating func length() throws(DecodingFailure) -> Int {
        let start = at
        let length = try varint()
        guard length <= UInt64(remaining) else { throw .truncated }
        guard at - start <= 5 else { throw .longNumber }
        return Int(length)
    }

    /// Reads length-delimited bytes.
    @inline(__always)
    mutating func delimited() throws(DecodingFailure) -> UnsafeBufferPointer<UInt8> {
        let length = try length()
        defer { at += length }
        return UnsafeBufferPointer(start: at, count: length)
    }

    /// Skips the value of a field whose tag has been read.
    mutating func skip(_ tag: UInt32) throws(DecodingFailure) {
        switch WireType(rawValue: UInt8(tag & 7)) {
        case .varint: _ = try varint()
        case .fixed64: _ = try fixed(UInt64.self)
        case .delimited: _ = try delimited()
        case .fixed32: _ = try fixed(UInt32.self)
        case .startGroup: try skipGroup(tag >> 3)
        case .endGroup: throw .badGroup
        case nil: throw .badWireType
        }
    }

    private mutating func skipGroup(_ number: UInt32) throws(DecodingFailure) {
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        while at < end {
            let tag = try tag()
            if tag & 7 == UInt32(WireType.endGroup.rawValue) {
                guard tag >> 3 == number else { throw .badGroup }
                depth += 1
                return
            }
            try skip(tag)
        }
        throw .truncated
    }
}

/// A decoding error without its path; it is small, so that throwing functions cost little.
enum DecodingFailure: UInt8, Error {
    case truncated, tooDeep, invalidText, longNumber, badTag, badWireType, badGroup, badPacked, overBudget

    /// Returns the error to throw, with the path to the field.
    func error(at path: String) -> ProtoError {
        switch self {
        case .truncated: .truncated(path)
        case .tooDeep: .tooDeep(path)
        case .invalidText: .invalidText(path)
        case .longNumber: .malformed(path, "a varint has too many bytes")
        case .badTag: .malformed(path, "a tag has an invalid field number")
        case .badWireType: .malformed(path, "a tag has an invalid wire type")
        case .badGroup: .malformed(path, "an end-group tag has no matching start")
        case .badPacked: .malformed(path, "packed values do not fill their length")
        case .overBudget: .overBudget(path)
        }
    }
}
