// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension Message {
    /// Reads a message in the shape of its JSON from any decoder.
    ///
    /// - Throws: ``ProtoError``, or what the decoder throws.
    public init(from decoder: any Decoder) throws {
        try self.init(json: try JSONValue(from: decoder).serialized())
    }

    /// Writes the message in the shape of its JSON to any encoder.
    ///
    /// - Throws: ``ProtoError`` where JSON cannot say what the message holds, or what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue(parsing: try jsonBytes(), limits: JSONLimits(depth: 512)).encode(to: encoder)
    }
}
