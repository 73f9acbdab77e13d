// SPDX-License-Identifier: Apache-2.0

/// The encoding of messages with one codec.
struct MessageCoding: Sendable {
    let codec: RPCCodec
    let types: TypeRegistry

    /// Encodes a message.
    ///
    /// - Throws: `RPCError.internal` for a message that cannot be encoded, which is a defect on this side.
    func encode(_ message: some Message) throws(RPCError) -> [UInt8] {
        do {
            switch codec {
            case .binary: return try message.serialized()
            case .json: return try message.jsonBytes(JSONEncodingOptions(types: types))
            }
        } catch {
            throw RPCError(.internal, "The message cannot be encoded.", cause: error)
        }
    }

    /// Decodes a message.
    ///
    /// - Parameter code: The code of the error for invalid bytes, which may be a bad request or a broken response.
    func decode<Value: Message>(_ bytes: [UInt8], as type: Value.Type, orFail code: RPCCode) throws(RPCError) -> Value {
        var budget = Int.max
        return try decode(bytes, as: type, orFail: code, budget: &budget)
    }

    /// Decodes a message, and reduces a memory budget by its memory.
    ///
    /// - Throws: `RPCError.resourceExhausted` for a message that exceeds the budget.
    func decode<Value: Message>(
        _ bytes: [UInt8], as type: Value.Type, orFail code: RPCCode, budget: inout Int
    ) throws(RPCError) -> Value {
        do throws(ProtoError) {
            switch codec {
            case .binary: return try Value(serialized: bytes, budget: &budget)
            case .json:
                let options = JSONDecodingOptions(ignoresUnknownFields: true, types: types)
                return try Value(json: bytes, options: options, budget: &budget)
            }
        } catch {
            guard error != .tooLarge else { throw RPCError(.resourceExhausted, error.message, cause: error) }
            throw RPCError(code, "The content is not a valid \(Value.name).", cause: error)
        }
    }
}
