// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension Message {
    /// Creates a message from JSON (protobuf.dev, ProtoJSON).
    ///
    /// Parsing is strict. The text is exactly one JSON value (RFC 8259). Each member names a field, and each field
    /// occurs once, in either spelling. Values match the type and the range of their field.
    ///
    /// - Throws: ``ProtoError`` with the position.
    public init(json: [UInt8], options: JSONDecodingOptions = JSONDecodingOptions()) throws(ProtoError) {
        var budget = options.allocatedBytes
        try self.init(json: json, options: options, budget: &budget)
    }

    /// Creates a message from JSON, and reduces a memory budget by its memory.
    package init(
        json: [UInt8], options: JSONDecodingOptions = JSONDecodingOptions(), budget: inout Int
    ) throws(ProtoError) {
        var storage = MessageStorage(Self.schema)
        try json.withUnsafeBufferPointer { (bytes) throws(ProtoError) in
            let text = JSONScanner(bytes: bytes, depth: min(options.depth, 512))
            var reader = JSONMessageDecoder(text: text, options: options, budget: budget)
            defer { budget = reader.budget }
            try reader.readMessage(into: &storage)
            try reader.text.expectEnd()
        }
        try storage.checkRequired()
        self.init(storage: storage)
    }

    /// Creates a message from JSON.
    ///
    /// - Throws: ``ProtoError`` with the position.
    public init(json: String, options: JSONDecodingOptions = JSONDecodingOptions()) throws(ProtoError) {
        try self.init(json: Array(json.utf8), options: options)
    }

    /// Returns the message as JSON in UTF-8, on one line.
    ///
    /// - Throws: ``ProtoError`` for values without a JSON form, such as a timestamp out of range.
    public func jsonBytes(_ options: JSONEncodingOptions = JSONEncodingOptions()) throws(ProtoError) -> [UInt8] {
        try storage.checkRequired()
        var writer = JSONMessageEncoder(options: options)
        try writer.writeMessage(storage)
        return writer.output.bytes
    }

    /// Returns the message as JSON, on one line.
    ///
    /// - Throws: ``ProtoError`` for values without a JSON form, such as a timestamp out of range.
    public func json(_ options: JSONEncodingOptions = JSONEncodingOptions()) throws(ProtoError) -> String {
        String(decoding: try jsonBytes(options), as: UTF8.self)
    }
}

extension Message {
    /// Decodes a message in its JSON form from any decoder.
    ///
    /// The decoder's `userInfo` may contain a ``TypeRegistry`` under ``TypeRegistry/userInfoKey``.
    ///
    /// - Throws: ``ProtoError``, or an error of the decoder.
    public init(from decoder: any Decoder) throws {
        let options = JSONDecodingOptions(types: TypeRegistry.of(decoder.userInfo))
        try self.init(json: try JSONValue(from: decoder).serialized(), options: options)
    }

    /// Encodes the message in its JSON form to any encoder.
    ///
    /// The encoder's `userInfo` may contain a ``TypeRegistry`` under ``TypeRegistry/userInfoKey``.
    ///
    /// - Throws: ``ProtoError`` for values without a JSON form, such as a timestamp out of range.
    public func encode(to encoder: any Encoder) throws {
        let json = try jsonBytes(JSONEncodingOptions(types: TypeRegistry.of(encoder.userInfo)))
        try JSONValue(parsing: json, limits: JSONLimits(depth: 512, bytes: .max, values: .max)).encode(to: encoder)
    }
}

extension TypeRegistry {
    /// The `userInfo` key of the message types that an Any may contain.
    public static let userInfoKey = CodingUserInfoKey(rawValue: "LatchRPC.TypeRegistry")

    fileprivate static func of(_ userInfo: [CodingUserInfoKey: Any]) -> TypeRegistry {
        userInfoKey.flatMap { userInfo[$0] as? TypeRegistry } ?? []
    }
}
