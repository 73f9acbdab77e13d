// SPDX-License-Identifier: Apache-2.0

/// Bytes that are written from the end backwards, so that a length is known before it is written.
///
/// What makes one gives it memory to begin with; more is taken from the heap, and `end` gives that back.
struct BinaryWriter: ~Copyable {
    private(set) var start: UnsafeMutablePointer<UInt8>
    /// Where the bytes that are written begin.
    var at: UnsafeMutablePointer<UInt8>
    private(set) var end: UnsafeMutablePointer<UInt8>
    private var isOnHeap = false
    /// Whether equal messages must have equal bytes: maps are written in the order of their keys.
    let isDeterministic: Bool

    init(_ memory: UnsafeMutableBufferPointer<UInt8>, deterministic: Bool) {
        // Memory of no bytes has no address, and is never written to.
        start = memory.baseAddress ?? .allocate(capacity: 1)
        end = start + memory.count
        at = end
        isDeterministic = deterministic
    }

    /// How many bytes are written.
    @inline(__always)
    var count: Int { end - at }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: at, count: count) }

    /// Makes sure that there is room for so many bytes.
    @inline(__always)
    mutating func reserve(_ bytes: Int) {
        if at - start < bytes { grow(bytes) }
    }

    @inline(never)
    private mutating func grow(_ bytes: Int) {
        let used = count
        let capacity = Swift.max((end - start) * 2, used + bytes + 64)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        let place = memory + (capacity - used)
        place.update(from: at, count: used)
        free()
        (start, at, end, isOnHeap) = (memory, place, memory + capacity, true)
    }

    /// Gives back what was taken from the heap.
    func free() {
        if isOnHeap { start.deallocate() }
    }

    /// Writes a number of a variable length; ten bytes of room are taken for granted.
    @inline(__always)
    mutating func varint(_ value: UInt64) {
        if value < 0x80 {
            at -= 1
            at.pointee = UInt8(truncatingIfNeeded: value)
        } else {
            longVarint(value)
        }
    }

    @inline(__always)
    private mutating func longVarint(_ value: UInt64) {
        let length = (70 - value.leadingZeroBitCount) / 7
        at -= length
        var place = at
        var rest = value
        while rest >= 0x80 {
            place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            place += 1
            rest >>= 7
        }
        place.pointee = UInt8(truncatingIfNeeded: rest)
    }

    /// Writes a number's bytes, the lowest first; room is taken for granted.
    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger>(_ value: Number) {
        at -= MemoryLayout<Number>.size
        UnsafeMutableRawPointer(at).storeBytes(of: value.littleEndian, as: Number.self)
    }

    /// Writes bytes as they are, and makes room for their length and a tag before them.
    @inline(__always)
    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        reserve(count + Self.headRoom)
        at -= count
        if let base = bytes.baseAddress { UnsafeMutableRawPointer(at).copyMemory(from: base, byteCount: count) }
    }

    /// Writes the length of what was written since `before`, and a tag.
    @inline(__always)
    mutating func head(_ tag: UInt32, since before: Int) {
        reserve(Self.headRoom)
        varint(UInt64(count - before))
        varint(UInt64(tag))
    }

    /// Room for a number or a length, and for a tag.
    static let headRoom = 24
}
