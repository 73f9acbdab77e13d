// SPDX-License-Identifier: Apache-2.0

/// The memory of one message in one block: the place of its table, then its values.
///
/// It is never changed while two storages hold it, which is why a storage may be sent to another task. The table's place
/// is not in the buffer's header, since each reading of that asks the runtime for access.
final class MessageObject: ManagedBuffer<Void, UInt64> {
    /// Makes the memory of a message without values.
    @inline(__always)
    static func make(_ table: UnsafePointer<LayoutTable>) -> MessageObject {
        let size = table.pointee.size
        let object = unsafeDowncast(create(minimumCapacity: size / 8) { _ in }, to: MessageObject.self)
        // Nothing in the template is counted, so a copy of its bits is a value of its own.
        object.memory.copyMemory(from: table.pointee.template, byteCount: size)
        return object
    }

    @inline(__always)
    var table: UnsafePointer<LayoutTable> { memory.table }

    /// The first byte of the block; it may be used while the object is held.
    @inline(__always)
    var memory: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    /// Another object with the same values.
    func copy() -> MessageObject {
        let table = table
        let size = table.pointee.size
        let copy = unsafeDowncast(Self.create(minimumCapacity: size / 8) { _ in }, to: MessageObject.self)
        let target = copy.memory
        target.copyMemory(from: memory, byteCount: size)
        target.extrasPlace.initialize(to: target.extrasPlace.pointee)
        for entry in table.pointee.references {
            (target + Int(entry.offset)).retain(entry.cell, table.pointee.map(entry))
        }
        return copy
    }

    deinit {
        let memory = memory
        let table = memory.table
        _ = memory.extrasPlace.move()
        for entry in table.pointee.references {
            (memory + Int(entry.offset)).release(entry.cell, table.pointee.map(entry))
        }
    }
}

extension UnsafeMutableRawPointer {
    /// The table of the object whose memory this is.
    @inline(__always)
    var table: UnsafePointer<LayoutTable> { load(as: UnsafePointer<LayoutTable>.self) }

    /// Where the reference to the extras lies.
    @inline(__always)
    var extrasPlace: UnsafeMutablePointer<MessageExtras?> { (self + LayoutTable.extras).at(MessageExtras?.self) }
}

extension LayoutTable {
    /// The operations of a map's field.
    @inline(__always)
    func map(_ entry: FieldEntry) -> MapOperations {
        maps[Int(entry.child)].takeUnretainedValue()
    }
}
