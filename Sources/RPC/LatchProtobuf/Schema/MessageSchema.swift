// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The schema of a message, as text that is parsed on first use.
///
/// Each line declares a field, `NUMBER NAME TYPE WORDS…`, in file order. The index of a line, from 0, is the field's
/// slot in the message's storage. TYPE is a scalar type of .proto files, or `message I`, `group I`, `enum I` (open),
/// `closed I` (closed enum), `map KEY VALUE`; I is an index into `types`.
///
/// The words can be in any order: `repeated`, `expanded` (repeated, not packed), `optional` (explicit presence),
/// `required`, `oneof N`, `secret`, `json NAME` (with C escapes). `default "TEXT"` comes last. Other words are ignored,
/// such as `raw`, which an earlier version of the generator wrote. The lines `extensions FIRST LAST`, `reserved NAME…`
/// and `messageset` do not declare fields. A malformed line keeps its slot, which has no value.
public final class MessageSchema: Sendable {
    /// The full name, such as `userservice.v1.User`.
    public let name: String
    let text: String
    let types: [any SchemaType.Type]

    /// The address of the layout table; 0 until it is needed.
    private let laidOut = Atomic<UInt>(0)
    private let building = Mutex<Void>(())

    /// Creates a schema from text and the types that it refers to.
    public init(_ name: String, _ text: String, types: [any SchemaType.Type] = []) {
        self.name = name
        self.text = text
        self.types = types
    }

    /// The memory layout.
    ///
    /// It is created once and never freed: objects refer to it without reference counting.
    @inline(__always)
    var table: UnsafePointer<LayoutTable> {
        UnsafePointer(bitPattern: laidOut.load(ordering: .acquiring)) ?? build()
    }

    /// The declarations of the fields, by slot.
    var fields: [FieldSchema] { layout.fields }

    var layout: MessageLayout { table.pointee.layout }

    @inline(never)
    private func build() -> UnsafePointer<LayoutTable> {
        building.withLock { _ in
            guard laidOut.load(ordering: .acquiring) == 0 else { return }
            laidOut.store(UInt(bitPattern: MessageLayout(self).makeTable()), ordering: .releasing)
        }
        return table
    }
}
