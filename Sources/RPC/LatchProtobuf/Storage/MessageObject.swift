// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The memory of a message in one block: the pointer to its layout table, then its values.
///
/// It is never mutated while two storages share it, so a storage may be sent to another task. The table pointer is not
/// in the buffer's header, because each access to the header is checked for exclusivity.
final class MessageObject: ManagedBuffer<Void, UInt64> {
    /// Creates the memory of an empty message.
    @inline(__always)
    static func make(_ table: UnsafePointer<LayoutTable>) -> MessageObject {
        let size = table.pointee.size
        let object = unsafeDowncast(create(minimumCapacity: size / 8) { _ in }, to: MessageObject.self)
        // The template contains no counted references, so a bitwise copy is an independent value.
        object.memory.copyMemory(from: table.pointee.template, byteCount: size)
        return object
    }

    @inline(__always)
    var table: UnsafePointer<LayoutTable> { memory.table }

    /// The address of the block; valid while the object is alive.
    @inline(__always)
    var memory: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    func copy() -> MessageObject {
        let table = table
        let size = table.pointee.size
        let copy = unsafeDowncast(Self.create(minimumCapacity: size / 8) { _ in }, to: MessageObject.self)
        let target = copy.memory
        target.copyMemory(from: memory, byteCount: size)
        target.extrasAddress.initialize(to: target.extrasAddress.pointee)
        for entry in table.pointee.references { (target + Int(entry.offset)).retain(entry.cell) }
        return copy
    }

    deinit {
        let memory = memory
        let table = memory.table
        _ = memory.extrasAddress.move()
        for entry in table.pointee.references { (memory + Int(entry.offset)).release(entry.cell) }
    }
}

extension UnsafeMutableRawPointer {
    /// The layout table of the object with this memory.
    @inline(__always)
    var table: UnsafePointer<LayoutTable> { load(as: UnsafePointer<LayoutTable>.self) }

    /// The address of the reference to the extras.
    @inline(__always)
    var extrasAddress: UnsafeMutablePointer<MessageExtras?> { (self + LayoutTable.extras).at(MessageExtras?.self) }
}

extension LayoutTable {
    @inline(__always)
    func map(_ entry: FieldEntry) -> MapOperations {
        maps[Int(entry.child)].takeUnretainedValue()
    }
}

/// The unknown fields and extensions of a message; most messages have none.
///
/// Like the object itself, they are mutated only while they have a single owner.
final class MessageExtras: @unchecked Sendable {
    var unknown = UnknownFields()
    /// The extensions by number, each as a message with one field.
    var extensions: [UInt32: MessageStorage] = [:]

    var isEmpty: Bool { unknown.isEmpty && extensions.isEmpty }

    func copy() -> MessageExtras {
        let copy = MessageExtras()
        copy.unknown = unknown
        copy.extensions = extensions
        return copy
    }
}

extension UnsafeMutableRawPointer {
    /// Returns a typed pointer; the caller has checked the type.
    @inline(__always)
    func at<Value>(_ type: Value.Type = Value.self) -> UnsafeMutablePointer<Value> {
        assumingMemoryBound(to: type)
    }

    /// Initializes memory with a field's default: the bits of a number, or nil.
    func reset(_ entry: FieldEntry, _ value: FieldSchema.Default?) {
        var bits: UInt64 = 0
        if case .bits(let number)? = value { bits = number }
        switch entry.cell {
        case .none: break
        case .bool: initializeMemory(as: Bool.self, to: bits != 0)
        case .int32, .uint32, .float: initializeMemory(as: UInt32.self, to: UInt32(truncatingIfNeeded: bits))
        case .int64, .uint64, .double: initializeMemory(as: UInt64.self, to: bits)
        case .string: initializeMemory(as: String?.self, to: nil)
        case .bytes: initializeMemory(as: Data?.self, to: nil)
        // A message, an array or a dictionary is a single reference; null means nil.
        default: initializeMemory(as: UInt.self, to: 0)
        }
    }

    /// Retains the reference in memory that was copied bitwise.
    func retain(_ cell: ValueLayout) {
        switch cell {
        case .string: initializeMemory(as: String?.self, to: at(String?.self).pointee)
        case .bytes: initializeMemory(as: Data?.self, to: at(Data?.self).pointee)
        case .message: initializeMemory(as: MessageStorage?.self, to: at(MessageStorage?.self).pointee)
        // An array or a dictionary is a single reference to an object, whose class determines the types of its
        // elements.
        case .map: initializeMemory(as: [String: String]?.self, to: at([String: String]?.self).pointee)
        default: initializeMemory(as: [UInt8]?.self, to: at([UInt8]?.self).pointee)
        }
    }

    /// Releases the reference in memory.
    @inline(__always)
    func release(_ cell: ValueLayout) {
        switch cell {
        case .string: _ = at(String?.self).move()
        case .bytes: _ = at(Data?.self).move()
        case .message: _ = at(MessageStorage?.self).move()
        case .map: _ = at([String: String]?.self).move()
        default: _ = at([UInt8]?.self).move()
        }
    }
}
