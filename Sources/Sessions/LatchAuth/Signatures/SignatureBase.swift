// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchHTTP

/// The signature base: a line for each component, and one for the signature's parameters (RFC 9421 §2.5).
enum SignatureBase {
    /// Creates the signature base.
    ///
    /// - Parameter input: The covered components and the parameters, as in `Signature-Input`.
    /// - Throws: `AuthError.unsignableMessage` if a part is missing or ambiguous; `AuthError.malformedSignature` if a
    ///   component occurs twice or is unknown.
    static func text(for input: StructuredInnerList, of message: SignedMessage) throws(AuthError) -> String {
        var components: [SignatureComponent] = []
        for item in input.items { components.append(try SignatureComponent(item)) }
        guard Set(components).count == components.count else { throw .malformedSignature("a component occurs twice") }
        var text = ""
        for (component, item) in zip(components, input.items) {
            let value = try self.value(of: component, in: message.source(of: component))
            // §2.5: with a line break, a value could be read as another line.
            guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
                throw .unsignableMessage("a covered value contains characters other than printable ASCII")
            }
            text += "\(try serialized(item)): \(value)\n"
        }
        return text + "\"@signature-params\": \(try serialized(input))"
    }

    private static func value(
        of component: SignatureComponent, in message: SignedMessage
    ) throws(AuthError) -> String {
        guard component.name.utf8.first == UInt8(ascii: "@") else { return try field(component, in: message) }
        switch message {
        case .request(let request): return try derived(component, from: request)
        case .response(let response, _):
            guard component.name == "@status" else {
                throw .unsignableMessage("a response has no method and no target; add req to the component")
            }
            return String(response.status.rawValue)
        }
    }

    /// Returns the value of a derived component (RFC 9421 §2.2).
    private static func derived(
        _ component: SignatureComponent, from request: HTTPRequest
    ) throws(AuthError) -> String {
        switch component.name {
        case "@method": return request.method.rawValue
        case "@target-uri": return "\(request.origin)\(request.path)"
        case "@authority": return request.origin.authority
        case "@scheme": return request.origin.scheme
        case "@request-target": return request.path
        case "@path": return request.pathWithoutQuery.isEmpty ? "/" : request.pathWithoutQuery
        case "@query": return "?" + (request.query ?? "")
        case "@query-param":
            return try QueryParameters.value(named: component.parameters["name"]?.text ?? "", in: request)
        default: throw .unsignableMessage("a request has no status")
        }
    }

    private static func serialized(_ item: StructuredItem) throws(AuthError) -> String {
        do { return try item.serialized() } catch { throw .malformedSignature("a component cannot be serialized") }
    }

    private static func serialized(_ list: StructuredInnerList) throws(AuthError) -> String {
        do { return try list.serialized() } catch { throw .malformedSignature("a parameter cannot be serialized") }
    }
}

/// A signed message: a request, or a response with the request that it answers.
enum SignedMessage: Sendable {
    case request(HTTPRequest)
    case response(HTTPResponse, answering: HTTPRequest?)

    var fields: HTTPFields {
        switch self {
        case .request(let request): request.fields
        case .response(let response, _): response.fields
        }
    }

    var body: HTTPBody {
        switch self {
        case .request(let request): request.body
        case .response(let response, _): response.body
        }
    }

    /// Returns the message that a component is taken from (RFC 9421 §2.4).
    func source(of component: SignatureComponent) throws(AuthError) -> SignedMessage {
        guard component.isOfRequest else { return self }
        guard case .response(_, let request?) = self else {
            throw .unsignableMessage("the request of the response is missing")
        }
        return .request(request)
    }
}

extension SignatureBase {
    /// A top-level type of structured fields (RFC 9651 §3).
    private enum FieldType {
        case item, list, dictionary
    }

    /// The types of registered fields, which components with `sf` need (RFC 9421 §2.1.1).
    private static let types: [HTTPFieldName: FieldType] = [
        "Accept-CH": .list, "Accept-Signature": .dictionary, "Cache-Status": .list, "CDN-Cache-Control": .dictionary,
        "Content-Digest": .dictionary, "Idempotency-Key": .item, "Priority": .dictionary, "Proxy-Status": .list,
        "RateLimit": .list, "RateLimit-Policy": .list, "Repr-Digest": .dictionary, "Signature": .dictionary,
        "Signature-Input": .dictionary, "Want-Content-Digest": .dictionary, "Want-Repr-Digest": .dictionary,
    ]

    /// Returns the value of a field as a signature covers it (RFC 9421 §2.1).
    private static func field(
        _ component: SignatureComponent, in message: SignedMessage
    ) throws(AuthError) -> String {
        let name = HTTPFieldName(component.name)
        let lines = lines(of: name, in: message)
        guard !lines.isEmpty else { throw .unsignableMessage("it has no field \(name)") }
        if component.parameters.isTrue("bs") {
            // §2.1.3.
            return lines.map { ":\(Base64Alphabet.standard.encodePadded(Array($0.utf8))):" }.joined(separator: ", ")
        }
        let combined = lines.joined(separator: ", ")
        do {
            // §2.1.2.
            if let key = component.parameters["key"]?.text {
                guard let member = try StructuredDictionary(parsing: combined)[key] else {
                    throw AuthError.unsignableMessage("a member of the field \(name) is missing")
                }
                return try member.serialized()
            }
            return component.parameters.isTrue("sf") ? try canonical(combined, of: name) : combined
        } catch let error as AuthError {
            throw error
        } catch {
            throw .unsignableMessage("the field \(name) is not a valid structured field")
        }
    }

    /// Returns the lines without surrounding whitespace; the transport's fields in the form that it will write.
    private static func lines(of name: HTTPFieldName, in message: SignedMessage) -> [String] {
        let lines = message.fields.values(of: name).map(trimmed)
        guard lines.isEmpty else { return lines }
        switch (name, message) {
        // A message without content may have no length; a length that is set is covered.
        case (.contentLength, _): return (message.body.length ?? 0) > 0 ? [String(message.body.length ?? 0)] : []
        case (.host, .request(let request)): return [request.authority]
        default: return []
        }
    }

    /// Returns the canonical form of a structured field, whose type does not follow from its value (§2.1.1).
    private static func canonical(_ text: String, of name: HTTPFieldName) throws -> String {
        switch types[name] {
        case .item: return try StructuredItem(parsing: text).serialized()
        case .list: return try StructuredList(parsing: text).serialized()
        case .dictionary: return try StructuredDictionary(parsing: text).serialized()
        case nil: throw AuthError.unsignableMessage("the structured type of the field \(name) is unknown")
        }
    }

    /// Removes spaces and tabs around a value, which are not part of it (RFC 9110 §5.5).
    private static func trimmed(_ value: String) -> String {
        let bytes = value.utf8
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let rest = bytes.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(Substring(rest[...last]))
    }
}

/// The query parameters of RFC 9421 §2.2.8: parsed as a form and encoded again canonically.
enum QueryParameters {
    /// Returns the value of the only parameter with an encoded name.
    ///
    /// - Throws: `AuthError.unsignableMessage` if it is missing or occurs twice, because two parsers could read it
    ///   differently.
    static func value(named name: String, in request: HTTPRequest) throws(AuthError) -> String {
        let values = request.rawQueryPairs.filter { recode($0.name) == name }.map { recode($0.value) }
        guard let value = values.first, values.count == 1 else {
            throw .unsignableMessage("a covered query parameter is missing or occurs twice")
        }
        return value
    }

    /// Encodes with the application/x-www-form-urlencoded percent-encode set: `~` is encoded, `*` is not, a space is
    /// `%20`.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        PercentEncoding.encode(bytes) { $0 == 0x2A }.unicodeScalars
            .split(separator: "~", omittingEmptySubsequences: false).map { String($0) }.joined(separator: "%7E")
    }

    private static func recode(_ text: Substring) -> String {
        encode(PercentEncoding.decode(text.utf8, plusIsSpace: true))
    }
}
