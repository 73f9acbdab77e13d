// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The fields of a message, as text that is read when the first value is made.
///
/// One line for each field, `NUMBER NAME TYPE WORDS…`, in the order of the file; the place of a line, from 0, is the
/// field's slot in the message's storage. TYPE is a scalar's name in .proto, or `message I`, `group I`, `enum I` (open),
/// `closed I` (closed enum), `map KEY VALUE`; I is an index into `types`. The words, in any order: `repeated`,
/// `expanded` (repeated, not packed), `optional` (explicit presence), `required`, `oneof N`, `secret`, `raw` (a string
/// that need not be UTF-8), `json NAME` (with C's escapes), and `default "TEXT"` as the last. A line `extensions FIRST LAST`,
/// `reserved NAME…` or `messageset` is no field.
/// A line that cannot be read keeps its slot, which then has no value.
public final class MessageSchema: Sendable {
    /// The full name, such as `userservice.v1.User`.
    public let name: String
    let text: String
    let types: [any SchemaType.Type]

    /// The address of the table; 0 until it is needed.
    private let laidOut = Atomic<UInt>(0)
    private let building = Mutex<Void>(())

    /// Makes a schema of its text and of the types that it names.
    public init(_ name: String, _ text: String, types: [any SchemaType.Type] = []) {
        self.name = name
        self.text = text
        self.types = types
    }

    /// Where the fields lie.
    ///
    /// It is made once and never freed: every object of the message points to it without counting.
    @inline(__always)
    var table: UnsafePointer<LayoutTable> {
        UnsafePointer(bitPattern: laidOut.load(ordering: .acquiring)) ?? build()
    }

    /// What is known of the fields, by slot.
    var fields: [FieldSchema] { layout.fields }

    var layout: MessageLayout { table.pointee.layout }

    @inline(never)
    private func build() -> UnsafePointer<LayoutTable> {
        building.withLock { _ in
            if let made = UnsafePointer<LayoutTable>(bitPattern: laidOut.load(ordering: .acquiring)) {
                return LayoutTable.Place(made)
            }
            let made = MessageLayout(self).makeTable()
            laidOut.store(UInt(bitPattern: made), ordering: .releasing)
            return LayoutTable.Place(made)
        }.pointer
    }
}

extension LayoutTable {
    /// Carries the place out of the lock; what is there does not change any more.
    fileprivate struct Place: @unchecked Sendable {
        let pointer: UnsafePointer<LayoutTable>
        init(_ pointer: UnsafePointer<LayoutTable>) { self.pointer = pointer }
    }
}
