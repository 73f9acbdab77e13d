// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Reads a message from JSON (protobuf.dev, ProtoJSON).
    ///
    /// Strictly: members have the names of fields, each once, however they are spelled; values are of their field's type
    /// and in its range; the text is RFC 8259's, and nothing follows it.
    ///
    /// - Throws: ``ProtoError``, which names the place.
    public init(json: [UInt8], options: JSONReadingOptions = JSONReadingOptions()) throws(ProtoError) {
        var storage = MessageStorage(Self.schema)
        try json.withUnsafeBufferPointer { (bytes) throws(ProtoError) in
            let text = JSONReader(bytes, depth: min(options.depth, 512))
            var reader = JSONMessageReader(text: text, options: options)
            try reader.readMessage(into: &storage)
            try reader.text.expectEnd()
        }
        try storage.checkRequired()
        self.init(storage: storage)
    }

    /// Reads a message from JSON.
    ///
    /// - Throws: ``ProtoError``, which names the place.
    public init(json: String, options: JSONReadingOptions = JSONReadingOptions()) throws(ProtoError) {
        try self.init(json: Array(json.utf8), options: options)
    }

    /// The message as JSON in UTF-8, on one line.
    ///
    /// - Throws: ``ProtoError`` where JSON cannot say what the message holds, such as a time out of range.
    public func jsonBytes(_ options: JSONWritingOptions = JSONWritingOptions()) throws(ProtoError) -> [UInt8] {
        try storage.checkRequired()
        var writer = JSONMessageWriter(options: options)
        try writer.writeMessage(storage)
        return writer.output.bytes
    }

    /// The message as JSON, on one line.
    ///
    /// - Throws: ``ProtoError`` where JSON cannot say what the message holds, such as a time out of range.
    public func json(_ options: JSONWritingOptions = JSONWritingOptions()) throws(ProtoError) -> String {
        String(decoding: try jsonBytes(options), as: UTF8.self)
    }
}
