// SPDX-License-Identifier: Apache-2.0

/// What a message holds beyond its fields; most hold nothing.
///
/// Like the object itself it is changed only while one object holds it.
final class MessageExtras: @unchecked Sendable {
    var unknown = UnknownFields()
    /// For each number the storage of a message with that one field.
    var extensions: [UInt32: MessageStorage] = [:]

    var isEmpty: Bool { unknown.isEmpty && extensions.isEmpty }

    func copy() -> MessageExtras {
        let copy = MessageExtras()
        copy.unknown = unknown
        copy.extensions = extensions
        return copy
    }
}
