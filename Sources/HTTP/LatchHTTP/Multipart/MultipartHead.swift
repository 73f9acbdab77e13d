// SPDX-License-Identifier: Apache-2.0

/// What the field lines of a part say about it.
public struct MultipartHead: Sendable, Hashable {
    /// The name of the form's field, as it was sent: browsers write `%22` for a quotation mark.
    public var name: String
    /// The name of the file, where it is one; it may be a path, of whatever system, and must not be taken for one.
    public var filename: String?
    /// The media type; nil means text (RFC 7578 §4.4).
    public var mediaType: String?

    /// A head from its pieces.
    public init(name: String, filename: String? = nil, mediaType: String? = nil) {
        self.name = name
        self.filename = filename
        self.mediaType = mediaType
    }

    /// Reads the lines before the empty one.
    ///
    /// - Throws: `HTTPError.malformedMessage`.
    init(parsing bytes: ArraySlice<UInt8>) throws(HTTPError) {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .malformedMessage("The head of a part is no text.")
        }
        var disposition: String?
        var type: String?
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let (name, value) = try Self.field(line)
            switch name {
            case "content-disposition" where disposition == nil: disposition = value
            case "content-type" where type == nil: type = value
            // RFC 7578 §4.7: an encoding of the content is deprecated; these three name none.
            case "content-transfer-encoding" where !["7bit", "8bit", "binary"].contains(value.lowercased()):
                throw .malformedMessage("A part comes in an encoding that is not read here.")
            case "content-disposition", "content-type": throw .malformedMessage("A part says twice what it is.")
            // RFC 7578 §4.8: others are ignored.
            default: continue
            }
        }
        guard let disposition else { throw .malformedMessage("A part does not say what it is.") }
        try self.init(disposition: disposition, mediaType: type)
    }

    /// RFC 7578 §4.2: `form-data; name="…"; filename="…"`.
    private init(disposition: String, mediaType: String?) throws(HTTPError) {
        guard let (kind, parameters) = Self.parameters(of: disposition), kind == "form-data",
            let name = parameters["name"], parameters["filename*"] == nil
        else { throw .malformedMessage("A part does not say properly what it is.") }
        self.init(name: name, filename: parameters["filename"], mediaType: mediaType)
    }

    /// A line without its line feed; folded lines (RFC 5322 §2.2.3) begin with a blank and are refused with that.
    private static func field(_ line: Substring.UTF8View) throws(HTTPError) -> (name: String, value: String) {
        var line = line
        // The last one has its line break in the empty line that ended the head.
        if line.last == 0x0D { line.removeLast() }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex, line[..<colon].allSatisfy(isTokenByte),
            !line.contains(0x0D)
        else { throw .malformedMessage("The head of a part is malformed.") }
        let value = trimmed(line[line.index(after: colon)...])
        return (String(decoding: line[..<colon].map(asciiLowercased), as: UTF8.self), String(Substring(value)))
    }

    /// The `boundary` of a Content-Type field; nil where it is no multipart form or the boundary is no proper one.
    static func boundary(in contentType: String) -> String? {
        guard let (type, parameters) = parameters(of: contentType), type == "multipart/form-data",
            let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy(isBoundaryByte), boundary.utf8.last != 0x20
        else { return nil }
        return boundary
    }

    /// A value and its parameters, the names in lower case; nil where that is malformed or a name stands twice.
    ///
    /// A backslash is a character like any other, since browsers write names of files with it.
    private static func parameters(of value: String) -> (value: String, [String: String])? {
        var rest = value.utf8[...]
        let first = trimmed(rest.prefix { $0 != 0x3B })
        rest = rest.drop { $0 != 0x3B }
        var parameters: [String: String] = [:]
        while !rest.isEmpty {
            rest = rest.dropFirst().drop(while: isBlank)
            let name = String(decoding: rest.prefix(while: isTokenByte).map(asciiLowercased), as: UTF8.self)
            rest = rest.drop(while: isTokenByte)
            guard !name.isEmpty, parameters[name] == nil, rest.popFirst() == 0x3D else { return nil }
            let quoted = rest.first == 0x22
            if quoted { rest.removeFirst() }
            let text = rest.prefix { quoted ? $0 != 0x22 : isTokenByte($0) }
            rest = rest[text.endIndex...]
            guard quoted ? rest.popFirst() != nil : !text.isEmpty else { return nil }
            parameters[name] = String(Substring(text))
            rest = rest.drop(while: isBlank)
            guard rest.isEmpty || rest.first == 0x3B else { return nil }
        }
        return (String(decoding: first.map(asciiLowercased), as: UTF8.self), parameters)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let text = text.drop(while: isBlank)
        guard let last = text.lastIndex(where: { !isBlank($0) }) else { return text[text.endIndex...] }
        return text[...last]
    }

    /// RFC 2046 §5.1.1: bchars.
    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
        default: false
        }
    }
}
