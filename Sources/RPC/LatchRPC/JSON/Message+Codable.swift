// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension Message {
    /// Reads a message in the shape of its JSON from any decoder.
    ///
    /// The decoder's `userInfo` may hold a ``TypeRegistry`` under ``TypeRegistry/userInfoKey``.
    ///
    /// - Throws: ``ProtoError``, or what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let options = JSONReadingOptions(types: TypeRegistry.of(decoder.userInfo))
        try self.init(json: try JSONValue(from: decoder).serialized(), options: options)
    }

    /// Writes the message in the shape of its JSON to any encoder.
    ///
    /// The encoder's `userInfo` may hold a ``TypeRegistry`` under ``TypeRegistry/userInfoKey``.
    ///
    /// - Throws: ``ProtoError`` where JSON cannot say what the message holds, or what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        let json = try jsonBytes(JSONWritingOptions(types: TypeRegistry.of(encoder.userInfo)))
        try JSONValue(parsing: json, limits: JSONLimits(depth: 512, bytes: .max)).encode(to: encoder)
    }
}

extension TypeRegistry {
    /// Where an encoder or a decoder looks for the messages that may stand in an Any.
    public static let userInfoKey = CodingUserInfoKey(rawValue: "LatchRPC.TypeRegistry")

    fileprivate static func of(_ userInfo: [CodingUserInfoKey: Any]) -> TypeRegistry {
        userInfoKey.flatMap { userInfo[$0] as? TypeRegistry } ?? []
    }
}
