// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Creates a message from the text format (protobuf.dev, "Text Format Language Specification").
    ///
    /// - Throws: ``ProtoError`` with the position.
    public init(text: String, options: TextFormatDecodingOptions = TextFormatDecodingOptions()) throws(ProtoError) {
        var storage = MessageStorage(Self.schema)
        try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(ProtoError) in
            let text = TextFormatScanner(bytes: bytes, depth: min(options.depth, 512))
            var reader = TextFormatDecoder(text: text, options: options)
            try reader.readFields(into: &storage, closing: nil)
        }
        try storage.checkRequired()
        self.init(storage: storage)
    }

    /// Returns the message in the text format; secret fields are not redacted.
    public func text(_ options: TextFormatEncodingOptions = TextFormatEncodingOptions()) -> String {
        var writer = TextFormatEncoder(options: options)
        writer.writeFields(storage)
        return writer.text
    }
}
