// SPDX-License-Identifier: Apache-2.0

extension MessageStorage {
    /// The bytes of the message for an Any's value.
    func packed() throws(ProtoError) -> [UInt8] { throw .malformed("?", "the binary encoding is not there yet") }

    /// Reads the bytes of an Any's value as a message.
    init(_ schema: MessageSchema, packed bytes: [UInt8], extensions: ExtensionSet) throws(ProtoError) {
        throw .malformed("?", "the binary encoding is not there yet")
    }

    /// Makes sure that each required field is set, here and in the messages inside.
    func requireInitialized() throws(ProtoError) {
        if let missing = firstMissing() { throw .missingField(missing, in: layout.name) }
    }
}
