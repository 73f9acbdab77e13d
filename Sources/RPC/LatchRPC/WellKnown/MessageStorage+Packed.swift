// SPDX-License-Identifier: Apache-2.0

extension MessageStorage {
    /// The bytes of the message for an Any's value.
    func packed() throws(ProtoError) -> [UInt8] {
        try checkRequired()
        return serialized(deterministic: true)
    }

    /// Reads the bytes of an Any's value as a message.
    init(_ schema: MessageSchema, packed bytes: [UInt8], extensions: ExtensionSet) throws(ProtoError) {
        self.init(schema)
        try merge(bytes, .standard, extensions)
        try checkRequired()
    }
}
