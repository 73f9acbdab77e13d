// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Reads a message from the text format (protobuf.dev, "Text Format Language Specification").
    ///
    /// - Throws: ``ProtoError``, which names the place.
    public init(text: String, options: TextReadingOptions = TextReadingOptions()) throws(ProtoError) {
        var storage = MessageStorage(Self.schema)
        try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(ProtoError) in
            let text = TextReader(bytes, depth: min(options.depth, 512))
            var reader = TextMessageReader(text: text, options: options)
            try reader.readFields(into: &storage, closing: nil)
        }
        try storage.checkRequired()
        self.init(storage: storage)
    }

    /// The message in the text format; fields marked as secret are written as they are.
    public func text(_ options: TextWritingOptions = TextWritingOptions()) -> String {
        var writer = TextMessageWriter(options: options)
        writer.writeFields(storage)
        return writer.output.text
    }
}
