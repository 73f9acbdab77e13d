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
            for pair in line.split(separator: ";") {
                guard let equals = pair.firstIndex(of: "=") else { continue }
                let name = trimmed(pair[..<equals])
                guard !name.isEmpty, cookies[name] == nil else { continue }
                cookies[name] = unquoted(trimmed(pair[pair.index(after: equals)...]))
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
        fields[.contentType].map { trimmed($0.prefix { $0 != ";" }).lowercased() }
    }
}

private func trimmed(_ text: Substring) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(text[...last].drop(while: isBlank))
}

private func unquoted(_ value: String) -> String {
    guard value.utf8.count >= 2, value.first == "\"", value.last == "\"" else { return value }
    return String(value.dropFirst().dropLast())
}
