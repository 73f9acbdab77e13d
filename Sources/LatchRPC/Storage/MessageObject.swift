// SPDX-License-Identifier: Apache-2.0

/// The memory of one message: a pointer to its table, then its values, in one block.
///
/// It is never changed while two storages hold it, which is why a storage may be sent to another task.
final class MessageObject: ManagedBuffer<UnsafePointer<LayoutTable>, UInt64> {
    /// Makes the memory of a message without values.
    @inline(__always)
    static func make(_ table: UnsafePointer<LayoutTable>) -> MessageObject {
        let size = table.pointee.size
        let made = create(minimumCapacity: size / 8) { _ in table }
        let object = unsafeDowncast(made, to: MessageObject.self)
        // Nothing in the template is counted, so a copy of its bits is a value of its own.
        object.memory.copyMemory(from: table.pointee.template, byteCount: size)
        return object
    }

    @inline(__always)
    var table: UnsafePointer<LayoutTable> { header }

    /// The first byte of the values; it may be used while the object is held.
    @inline(__always)
    var memory: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    /// Another object with the same values.
    func copy() -> MessageObject {
        let table = table.pointee
        let copy = unsafeDowncast(
            Self.create(minimumCapacity: table.size / 8) { _ in header }, to: MessageObject.self)
        let target = copy.memory
        target.copyMemory(from: memory, byteCount: table.size)
        target.initializeMemory(as: MessageExtras?.self, to: target.at(MessageExtras?.self).pointee)
        for entry in table.references {
            (target + Int(entry.offset)).retain(entry.cell, table.map(entry))
        }
        return copy
    }

    deinit {
        let table = header
        let memory = memory
        _ = memory.at(MessageExtras?.self).move()
        for entry in table.pointee.references {
            (memory + Int(entry.offset)).release(entry.cell, table.pointee.map(entry))
        }
    }
}

extension LayoutTable {
    /// The operations of a map's field.
    @inline(__always)
    func map(_ entry: FieldEntry) -> MapOperations {
        maps[Int(entry.child)].takeUnretainedValue()
    }
}
