// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension ProtoAny {
    /// A message of any type, packed.
    ///
    /// - Throws: ``ProtoError`` where a required field is missing.
    public init(packing message: some Message, domain: String = "type.googleapis.com") throws(ProtoError) {
        self.init(typeURL: domain + "/" + type(of: message).name, value: Data(try message.storage.packed()))
    }

    /// Whether a message of this type is inside.
    public func holds<Packed: Message>(_ type: Packed.Type) -> Bool { typeName == type.name }

    /// The message that is inside; nil where it is of another type.
    ///
    /// - Throws: ``ProtoError`` where the bytes are not a message of the type.
    public func unpack<Packed: Message>(
        _ type: Packed.Type, extensions: ExtensionSet = []
    ) throws(ProtoError) -> Packed? {
        guard holds(type) else { return nil }
        return Packed(storage: try MessageStorage(type.schema, packed: Array(value), extensions: extensions))
    }
}
