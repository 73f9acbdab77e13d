// SPDX-License-Identifier: Apache-2.0

/// The primitives of straight-line encoding: bytes from the end backwards, like our own encoder.
struct PlainWriter {
    private var start: UnsafeMutablePointer<UInt8>
    private var at: UnsafeMutablePointer<UInt8>
    private var end: UnsafeMutablePointer<UInt8>

    init() {
        start = .allocate(capacity: 2048)
        end = start + 2048
        at = end
    }

    var count: Int { end - at }

    @inline(__always)
    mutating func reserve(_ bytes: Int) { if at - start < bytes { grow(bytes) } }

    @inline(never)
    private mutating func grow(_ bytes: Int) {
        let used = count
        let capacity = max((end - start) * 2, used + bytes + 64)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        (memory + (capacity - used)).update(from: at, count: used)
        start.deallocate()
        (start, at, end) = (memory, memory + (capacity - used), memory + capacity)
    }

    consuming func finish() -> [UInt8] {
        defer { start.deallocate() }
        return [UInt8](UnsafeBufferPointer(start: at, count: count))
    }

    @inline(__always)
    mutating func varint(_ value: UInt64) {
        if value < 0x80 {
            at -= 1
            at.pointee = UInt8(truncatingIfNeeded: value)
            return
        }
        at -= (70 - value.leadingZeroBitCount) / 7
        var (place, rest) = (at, value)
        while rest >= 0x80 {
            place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            place += 1
            rest >>= 7
        }
        place.pointee = UInt8(truncatingIfNeeded: rest)
    }

    @inline(__always)
    mutating func number(_ value: UInt64, _ tag: UInt64) {
        if value == 0 { return }
        reserve(24)
        varint(value)
        varint(tag)
    }

    @inline(__always)
    mutating func fixed(_ value: UInt64, _ tag: UInt64) {
        if value == 0 { return }
        reserve(24)
        at -= 8
        UnsafeMutableRawPointer(at).storeBytes(of: value, as: UInt64.self)
        varint(tag)
    }

    @inline(__always)
    mutating func text(_ text: String, _ tag: UInt64) {
        var text = text
        text.withUTF8 { bytes in
            reserve(bytes.count + 24)
            at -= bytes.count
            if let base = bytes.baseAddress { at.update(from: base, count: bytes.count) }
            varint(UInt64(bytes.count))
            varint(tag)
        }
    }

    mutating func raw(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            reserve(bytes.count + 24)
            at -= bytes.count
            at.update(from: base, count: bytes.count)
        }
    }

    @inline(__always)
    mutating func head(_ tag: UInt64, since before: Int) {
        reserve(24)
        varint(UInt64(count - before))
        varint(tag)
    }
}

/// A decoding error of the straight-line code.
enum PlainFailure: Error { case truncated, malformed, invalidText }

/// The primitives of straight-line decoding.
struct PlainReader {
    var at: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>

    @inline(__always)
    mutating func varint() throws(PlainFailure) -> UInt64 {
        guard at < end else { throw .truncated }
        let byte = at.pointee
        if byte < 0x80 {
            at += 1
            return UInt64(byte)
        }
        return try longVarint()
    }

    @inline(never)
    private mutating func longVarint() throws(PlainFailure) -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while at < end, shift < 70 {
            let byte = at.pointee
            at += 1
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .truncated
    }

    @inline(__always)
    mutating func length() throws(PlainFailure) -> Int {
        let length = try varint()
        guard length <= UInt64(end - at) else { throw .truncated }
        return Int(length)
    }

    @inline(__always)
    mutating func text() throws(PlainFailure) -> String {
        let length = try length()
        let start = at
        at += length
        if isASCII(start, length) {
            return String(unsafeUninitializedCapacity: length) { memory in
                memory.baseAddress?.update(from: start, count: length)
                return length
            }
        }
        let content = UnsafeBufferPointer(start: start, count: length)
        guard let text = String(validating: content, as: UTF8.self) else { throw .invalidText }
        return text
    }

    @inline(__always)
    private func isASCII(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var (bits, offset) = (UInt64(0), 0)
        let start = UnsafeRawPointer(start)
        while offset + 8 <= count {
            bits |= start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            bits |= UInt64(start.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    mutating func fixed() throws(PlainFailure) -> UInt64 {
        guard end - at >= 8 else { throw .truncated }
        defer { at += 8 }
        return UnsafeRawPointer(at).loadUnaligned(as: UInt64.self)
    }

    mutating func skip(_ tag: UInt64, from start: UnsafePointer<UInt8>, into unknown: inout [UInt8])
        throws(PlainFailure)
    {
        switch tag & 7 {
        case 0: _ = try varint()
        case 1: _ = try fixed()
        case 2: at += try length()
        case 5:
            guard end - at >= 4 else { throw .truncated }
            at += 4
        default: throw .malformed
        }
        unknown.append(contentsOf: UnsafeBufferPointer(start: start, count: at - start))
    }
}
