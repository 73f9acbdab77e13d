// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension MultipartForm {
    /// Parses a form in memory.
    ///
    /// It is strict: input that clients do not send, and that parsers could read differently, is rejected. This applies
    /// to text before the first or after the last boundary, and to a boundary that is not on a separate line. It also
    /// applies to folded fields, duplicate fields and duplicate parameters. Empty lines around the form are accepted,
    /// since some clients send them.
    ///
    /// - Parameters:
    ///   - bytes: The content of the message.
    ///   - contentType: The Content-Type field, whose `boundary` parameter is required.
    ///   - limits: The maximum number of parts and the maximum size of each part's header fields.
    /// - Throws: `HTTPError.malformedMessage` and `HTTPError.tooLarge`.
    public init(parsing bytes: [UInt8], contentType: String, limits: Limits = Limits()) throws(HTTPError) {
        self.init()
        guard let boundary = Self.boundary(in: contentType) else {
            throw .malformedMessage("The content is not a multipart form with a boundary.")
        }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // RFC 2046 §5.1.1: the first boundary needs no line break before it.
        let first = bytes.starts(with: [0x0D, 0x0A]) ? bytes.dropFirst(2) : bytes[...]
        guard first.starts(with: delimiter.dropFirst(2)) else {
            throw .malformedMessage("The form does not begin with its boundary.")
        }
        var rest = first.dropFirst(delimiter.count - 2)
        while !rest.starts(with: [0x2D, 0x2D]) {
            guard rest.starts(with: [0x0D, 0x0A]) else {
                throw .malformedMessage("A boundary of the form is not on a separate line.")
            }
            guard parts.count < limits.parts else { throw .tooLarge }
            rest = rest.dropFirst(2)
            guard let headEnd = rest.prefix(limits.headBytes).firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else {
                throw rest.count < limits.headBytes ? .malformedMessage("The form ends within a part.") : .tooLarge
            }
            var part = try Part(parsingHead: rest[..<headEnd.lowerBound])
            let content = rest[headEnd.upperBound...]
            guard let end = Self.start(of: delimiter, in: content) else {
                throw .malformedMessage("The form ends within a part.")
            }
            part.body = HTTPBody(Array(content[..<end]))
            parts.append(part)
            rest = content[(end + delimiter.count)...]
        }
        guard rest.dropFirst(2).allSatisfy({ $0 == 0x0D || $0 == 0x0A }) else {
            throw .malformedMessage("Something follows the last boundary of the form.")
        }
    }

    /// Returns the position of the next delimiter, which begins with a carriage return.
    private static func start(of delimiter: [UInt8], in content: ArraySlice<UInt8>) -> Int? {
        var rest = content
        while let candidate = rest.firstIndex(of: 0x0D) {
            if content[candidate...].starts(with: delimiter) { return candidate }
            rest = content[(candidate + 1)...]
        }
        return nil
    }

    /// Returns the `boundary` of a Content-Type field, or nil if it is not `multipart/form-data` or the boundary is
    /// invalid.
    ///
    /// A boundary has 1 to 70 bchars, and the last one is not a space (RFC 2046 §5.1.1).
    private static func boundary(in contentType: String) -> String? {
        guard let (type, parameters) = Part.parameters(of: contentType), type == "multipart/form-data",
            let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ isAlphanumeric($0) || " '()+,-./:=?_".utf8.contains($0) }),
            boundary.utf8.last != 0x20
        else { return nil }
        return boundary
    }
}

extension MultipartForm.Part {
    /// Parses the field lines before the empty line.
    ///
    /// - Throws: `HTTPError.malformedMessage`.
    fileprivate init(parsingHead bytes: ArraySlice<UInt8>) throws(HTTPError) {
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
            case "content-transfer-encoding" where !["7bit", "8bit", "binary"].contains(value.lowercasedASCII()):
                throw .malformedMessage("A part has an unsupported Content-Transfer-Encoding.")
            case "content-disposition", "content-type": throw .malformedMessage("A part has a duplicate header field.")
            // RFC 7578 §4.8: other fields are ignored.
            default: continue
            }
        }
        guard let disposition else { throw .malformedMessage("A part has no Content-Disposition.") }
        // RFC 7578 §4.2: `form-data; name="…"; filename="…"`. A `filename*`, which .NET also sends, is not used.
        guard let (kind, parameters) = Self.parameters(of: disposition), kind == "form-data",
            let name = parameters["name"], parameters["filename*"] == nil || parameters["filename"] != nil
        else { throw .malformedMessage("A part has a malformed Content-Disposition.") }
        self.init(name: name, filename: parameters["filename"], mediaType: type, body: .empty)
    }

    /// Parses a line without its line feed; a folded line (RFC 5322 §2.2.3), which begins with whitespace, is rejected.
    private static func field(_ line: Substring.UTF8View) throws(HTTPError) -> (name: String, value: String) {
        var line = line
        // The line break of the last line is part of the empty line at the end of the head.
        if line.last == 0x0D { line.removeLast() }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex, line[..<colon].allSatisfy(isTokenByte),
            !line.contains(0x0D)
        else { throw .malformedMessage("The head of a part is malformed.") }
        let value = trimmed(line[line.index(after: colon)...])
        return (String(decoding: line[..<colon].map(asciiLowercased), as: UTF8.self), String(Substring(value)))
    }

    /// Parses a value and its parameters, with names in lower case, or returns nil if they are malformed or duplicate.
    ///
    /// A backslash is an ordinary character, since browsers write it into file names.
    fileprivate static func parameters(of text: String) -> (value: String, [String: String])? {
        var scanner = FieldScanner(text)
        let value = String(Substring(trimmed(scanner.take { $0 != 0x3B }.utf8)))
        var parameters: [String: String] = [:]
        while scanner.take(0x3B) {
            scanner.skipWhitespace()
            guard let name = scanner.token()?.lowercasedASCII(), parameters[name] == nil, scanner.take(0x3D) else {
                return nil
            }
            if scanner.take(0x22) {
                parameters[name] = scanner.take { $0 != 0x22 }
                guard scanner.take(0x22) else { return nil }
            } else {
                parameters[name] = scanner.token()
            }
            scanner.skipWhitespace()
            guard parameters[name] != nil, scanner.isAtEnd || scanner.next == 0x3B else { return nil }
        }
        return (String(decoding: value.utf8.map(asciiLowercased), as: UTF8.self), parameters)
    }
}
