// SPDX-License-Identifier: Apache-2.0

/// How messages become bytes and bytes messages, with the types that JSON needs for what stands in an Any.
struct MessageCoding: Sendable {
    let codec: RPCCodec
    let types: TypeRegistry

    /// A message as it goes on the wire.
    ///
    /// - Throws: `RPCError.internal` for a message that cannot be written: that is this side's mistake.
    func encode(_ message: some Message) throws(RPCError) -> [UInt8] {
        do {
            switch codec {
            case .binary: return try message.serialized()
            case .json: return try message.jsonBytes(JSONWritingOptions(types: types))
            }
        } catch {
            throw RPCError(.internal, "The message cannot be written.", cause: error)
        }
    }

    /// The message that bytes stand for.
    ///
    /// - Parameter code: What it means that they stand for none: a wrong request, or a broken answer.
    func decode<Value: Message>(_ bytes: [UInt8], as type: Value.Type, orFail code: RPCCode) throws(RPCError) -> Value {
        do {
            switch codec {
            case .binary: return try Value(serialized: bytes)
            case .json:
                return try Value(json: bytes, options: JSONReadingOptions(ignoresUnknownFields: true, types: types))
            }
        } catch {
            throw RPCError(code, "The content is no \(Value.name).", cause: error)
        }
    }
}
