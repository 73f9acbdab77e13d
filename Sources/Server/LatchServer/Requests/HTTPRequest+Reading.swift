// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

extension HTTPRequest {
    /// The fields of the query, decoded; a pair that cannot be decoded is left out.
    public var queryItems: FormFields { FormFields(query: query ?? "", limit: 1024) }

    /// The cookies that the client sent (RFC 6265 §4.2).
    ///
    /// Where a name stands twice the first counts: clients put the one with the longer path first (§5.4).
    public var cookies: [String: String] {
        var cookies: [String: String] = [:]
        for line in fields.values(of: .cookie) {
            for pair in line.utf8.split(separator: 0x3B) {
                guard let equals = pair.firstIndex(of: 0x3D) else { continue }
                let name = withoutBlanks(pair[..<equals])
                guard !name.isEmpty, cookies[name] == nil else { continue }
                cookies[name] = unquoted(withoutBlanks(pair[pair.index(after: equals)...]))
            }
        }
        return cookies
    }

    /// The fields of a form in the content.
    ///
    /// - Parameter limit: How many fields are read at most, so that a small content cannot cost much memory.
    /// - Throws: `ServerError.unsupportedMediaType` when the content is no `application/x-www-form-urlencoded`,
    ///   `.malformedRequest` when it cannot be decoded or has more fields.
    public func formFields(limit: Int = 100) throws(ServerError) -> FormFields {
        guard mediaType == "application/x-www-form-urlencoded" else {
            throw .unsupportedMediaType(expected: "application/x-www-form-urlencoded")
        }
        guard let text = body.text else { throw .malformedRequest("The form is not UTF-8.") }
        return try FormFields(parsing: text[...], limit: limit)
    }

    /// The type and subtype of the content in lower case, without parameters (RFC 9110 §8.3.1).
    public var mediaType: String? {
        fields[.contentType].map { withoutBlanks($0.utf8.prefix { $0 != 0x3B }).lowercased() }
    }
}

/// The text without the blanks around it (RFC 9110 §5.6.3).
///
/// Fields are read by their bytes: to Swift, a separator with an accent behind it is another character, and U+037E is a
/// semicolon, so a reader by characters finds other cookies than everybody else.
func withoutBlanks(_ text: Substring.UTF8View) -> String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(Substring(text[...last].drop(while: isBlank)))
}

/// RFC 6265 §4.1.1: a value may stand in quotes, which are no part of it here.
private func unquoted(_ value: String) -> String {
    guard value.utf8.count >= 2, value.utf8.first == 0x22, value.utf8.last == 0x22 else { return value }
    return String(Substring(value.utf8.dropFirst().dropLast()))
}
