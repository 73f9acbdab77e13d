// SPDX-License-Identifier: Apache-2.0

extension MultipartForm {
    /// Reads a form that is in memory.
    ///
    /// - Parameter contentType: The Content-Type field, whose `boundary` parameter is needed.
    /// - Throws: `HTTPError.malformedMessage` and `HTTPError.tooLarge`.
    public init(
        parsing bytes: [UInt8], contentType: String, limits: MultipartParser.Limits = MultipartParser.Limits()
    ) throws(HTTPError) {
        self.init()
        var parser = try MultipartParser(contentType: contentType, limits: limits)
        var content: [UInt8] = []
        for event in try parser.consume(bytes) {
            switch event {
            case .part(let head):
                parts.append(
                    Part(name: head.name, filename: head.filename, mediaType: head.mediaType, body: .empty))
                content = []
            case .content(let piece): content += piece
            case .endOfPart: parts[parts.count - 1].body = HTTPBody(content)
            }
        }
        try parser.finish()
    }
}
