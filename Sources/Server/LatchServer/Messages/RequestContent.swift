// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation

extension HTTPRequest {
    /// The fields of the query, decoded; a pair that cannot be decoded is omitted.
    public var queryItems: FormFields { FormFields(query: query ?? "", limit: 1024) }

    /// The cookies that the client sent (RFC 6265 §4.2), at most the first 200.
    ///
    /// If several cookies have the same name, the first one counts: clients send the one with the longest path first
    /// (§5.4). The field is parsed as bytes, since a Swift `Character` may combine a separator with a following accent.
    public var cookies: [String: String] { Dictionary(fields.cookieList) { first, _ in first } }

    /// Returns whether the client sent several cookies with this name and different values.
    ///
    /// This happens if another host of its site has set one of them.
    package func isAmbiguous(cookie name: String) -> Bool {
        Set(fields.cookieList.lazy.filter { $0.0 == name }.map(\.1)).count > 1
    }

    /// The type and subtype of the content in lower case, without parameters (RFC 9110 §8.3.1).
    public var mediaType: String? {
        fields[.contentType].map { Substring(trimmed($0.utf8.prefix { $0 != 0x3B })).lowercasedASCII() }
    }

    /// Decodes JSON content (RFC 8259) as a value of a type.
    ///
    /// ```swift
    /// router.post("/notes") { request in try await notes.add(request.json(as: NewNote.self)) }
    /// ```
    ///
    /// - Throws: The errors of `json(limits:)`, and `ServerError.malformedRequest` if the content does not fit the
    ///   type; the error names the key.
    public func json<Value: Decodable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) throws(ServerError) -> Value {
        // JSONDecoder accepts duplicate names; another parser may use the other value.
        _ = try json()
        do {
            return try decoder.decode(type, from: Data(body.bytes.withoutByteOrderMark))
        } catch {
            throw .malformedRequest(
                "The JSON content does not have the expected form: \(error.decodingFailureDescription)")
        }
    }

    /// Parses JSON content (RFC 8259).
    ///
    /// A byte order mark is ignored (RFC 8259 §8.1).
    ///
    /// - Throws: `ServerError.unsupportedMediaType` if the type is neither `application/json` nor ends in `+json`.
    ///   `.unsupportedContentCoding` if the content is compressed. `.malformedRequest` if it is not JSON; the error
    ///   names the position. `.memoryExhausted`.
    public func json(limits: JSONLimits = .default) throws(ServerError) -> JSONValue {
        guard let mediaType, mediaType == "application/json" || mediaType.utf8.suffix(5).elementsEqual("+json".utf8)
        else {
            throw .unsupportedMediaType(expected: "application/json")
        }
        try requireNoContentCoding()
        // A digit and its comma become an element of 24 bytes in an array that grows by doubling; texts keep their
        // length.
        let count = body.bytes.count
        try reserveMemory(count + 48 * min(limits.values, count / 2))
        do {
            return try JSONValue(parsing: body.bytes.withoutByteOrderMark, limits: limits)
        } catch {
            throw .malformedRequest("The JSON content is malformed: \(error.message)")
        }
    }

    /// Parses the fields of a form in the content.
    ///
    /// - Parameter limit: The maximum number of fields, so that a small content cannot use much memory.
    /// - Throws: `ServerError.unsupportedMediaType` if the content is not `application/x-www-form-urlencoded`.
    ///   `.unsupportedContentCoding`. `.malformedRequest` if it cannot be decoded or has more fields.
    public func formFields(limit: Int = 100) throws(ServerError) -> FormFields {
        guard mediaType == "application/x-www-form-urlencoded" else {
            throw .unsupportedMediaType(expected: "application/x-www-form-urlencoded")
        }
        try requireNoContentCoding()
        try reserveMemory(2 * body.bytes.count)
        guard let text = body.text else { throw .malformedRequest("The form is not UTF-8.") }
        return try FormFields(parsing: text[...], limit: limit)
    }

    /// Parses the parts of a form with files in the content (RFC 7578).
    ///
    /// - Throws: `ServerError.unsupportedMediaType` if the content is not `multipart/form-data`.
    ///   `.unsupportedContentCoding`. `.malformedRequest` if it is malformed or exceeds the limits.
    public func multipartForm(
        limits: MultipartForm.Limits = MultipartForm.Limits()
    ) throws(ServerError) -> MultipartForm {
        guard mediaType == "multipart/form-data", let type = fields[.contentType] else {
            throw .unsupportedMediaType(expected: "multipart/form-data")
        }
        try requireNoContentCoding()
        try reserveMemory(2 * body.bytes.count)
        do {
            return try MultipartForm(parsing: body.bytes, contentType: type, limits: limits)
        } catch {
            throw .malformedRequest("The form is malformed: \(error.message)")
        }
    }

    /// Rejects compressed content, since a small one could become large.
    ///
    /// - Throws: `ServerError.unsupportedContentCoding`.
    package func requireNoContentCoding() throws(ServerError) {
        guard fields.values(of: .contentEncoding).allSatisfy({ $0.lowercasedASCII() == "identity" }) else {
            throw .unsupportedContentCoding
        }
    }

    /// Counts decoded data of the content against the server's memory, until the response is complete.
    ///
    /// - Throws: `ServerError.memoryExhausted`.
    private func reserveMemory(_ count: Int) throws(ServerError) {
        guard context.memory?.reserve(count) ?? true else { throw .memoryExhausted }
    }

    /// The IP address of the client; nil in process.
    ///
    /// It is the peer address of the socket. If that is a trusted proxy (``TrustedProxies``), it is the address that
    /// the proxy states. Header fields of other clients are ignored, since any client can send them.
    public var remoteAddress: String? { context[RemoteAddress.self] }
}

/// The context key of the client's address.
package enum RemoteAddress: HTTPContextKey {
    package static var defaultValue: String? { nil }
}

/// The context key for the address of the trusted proxy that sent a request; nil if a client sent it.
package enum ProxyAddress: HTTPContextKey {
    package static var defaultValue: String? { nil }
}

/// The context key for the HTTP version of a request; nil in process.
package enum ProtocolVersion: HTTPContextKey {
    package static var defaultValue: String? { nil }
}

/// Removes the quotes that may surround a cookie's value (RFC 6265 §4.1.1).
private func unquoted(_ value: Substring.UTF8View) -> String {
    let isQuoted = value.count >= 2 && value.first == 0x22 && value.last == 0x22
    return String(Substring(isQuoted ? value.dropFirst().dropLast() : value))
}

extension HTTPFields {
    /// Returns the value of the first cookie with a name.
    package func cookie(_ name: String) -> String? { cookieList.first { $0.0 == name }?.1 }

    fileprivate var cookieList: [(String, String)] {
        var cookies: [(String, String)] = []
        // Browsers keep fewer for a site; RFC 6265 §6.1 requires 50.
        var budget = 200
        for line in values(of: .cookie) {
            for pair in line.utf8.split(separator: 0x3B, maxSplits: budget).prefix(budget) {
                budget -= 1
                guard let equals = pair.firstIndex(of: 0x3D) else { continue }
                let name = String(Substring(trimmed(pair[..<equals])))
                guard !name.isEmpty else { continue }
                cookies.append((name, unquoted(trimmed(pair[pair.index(after: equals)...]))))
            }
        }
        return cookies
    }
}
