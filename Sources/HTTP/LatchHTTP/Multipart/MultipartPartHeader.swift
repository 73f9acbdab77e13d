// SPDX-License-Identifier: Apache-2.0

/// The header fields of a part.
package struct MultipartPartHeader: Sendable, Hashable {
    /// The name of the form field as it was sent: browsers write `%22` for a quotation mark.
    package var name: String
    /// The name of the file, for a file; it may look like a path of any system and must not be used as one.
    package var filename: String?
    /// The media type; nil means text (RFC 7578 §4.4).
    package var mediaType: String?

    /// Creates the fields of a part.
    package init(name: String, filename: String? = nil, mediaType: String? = nil) {
        self.name = name
        self.filename = filename
        self.mediaType = mediaType
    }

    /// Parses the field lines before the empty line.
    ///
    /// - Throws: `HTTPError.malformedMessage`.
    init(parsing bytes: ArraySlice<UInt8>) throws(HTTPError) {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .malformedMessage("The head of a part is not text.")
        }
        var disposition: String?
        var type: String?
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let (name, value) = try Self.field(line)
            switch name {
            case "content-disposition" where disposition == nil: disposition = value
            case "content-type" where type == nil: type = value
            // RFC 7578 §4.7: encodings of the content are deprecated; these three are identities.
            case "content-transfer-encoding" where !["7bit", "8bit", "binary"].contains(value.lowercased()):
                throw .malformedMessage("A part has an unsupported Content-Transfer-Encoding.")
            case "content-disposition", "content-type": throw .malformedMessage("A part has a duplicate header field.")
            // RFC 7578 §4.8: other fields are ignored.
            default: continue
            }
        }
        guard let disposition else { throw .malformedMessage("A part has no Content-Disposition.") }
        try self.init(disposition: disposition, mediaType: type)
    }

    /// Parses a disposition (RFC 7578 §4.2: `form-data; name="…"; filename="…"`).
    private init(disposition: String, mediaType: String?) throws(HTTPError) {
        guard let (kind, parameters) = Self.parameters(of: disposition), kind == "form-data",
            let name = parameters["name"], parameters["filename*"] == nil
        else { throw .malformedMessage("A part has a malformed Content-Disposition.") }
        self.init(name: name, filename: parameters["filename"], mediaType: mediaType)
    }

    /// Parses a line without its line feed; a folded line (RFC 5322 §2.2.3) begins with whitespace, which is rejected.
    private static func field(_ line: Substring.UTF8View) throws(HTTPError) -> (name: String, value: String) {
        var line = line
        // The line break of the last line is part of the empty line that ended the head.
        if line.last == 0x0D { line.removeLast() }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex, line[..<colon].allSatisfy(isTokenByte),
            !line.contains(0x0D)
        else { throw .malformedMessage("The head of a part is malformed.") }
        let value = trimmed(line[line.index(after: colon)...])
        return (String(decoding: line[..<colon].map(asciiLowercased), as: UTF8.self), String(Substring(value)))
    }

    /// Returns the `boundary` of a Content-Type field, or nil if it is not `multipart/form-data` or the boundary is
    /// invalid.
    static func boundary(in contentType: String) -> String? {
        guard let (type, parameters) = parameters(of: contentType), type == "multipart/form-data",
            let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy(isBoundaryByte), boundary.utf8.last != 0x20
        else { return nil }
        return boundary
    }

    /// Parses a value and its parameters, with names in lower case, or returns nil if they are malformed or duplicate.
    ///
    /// A backslash is an ordinary character, since browsers write it into file names.
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

    /// Whether a byte is a bchar (RFC 2046 §5.1.1).
    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
        default: false
        }
    }
}
