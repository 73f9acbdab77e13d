// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// The text that is signed: a line for each component, and one for the signature's own parameters (RFC 9421 §2.5).
package enum SignedText {
    /// The text.
    ///
    /// - Parameter input: The covered components and the parameters, as `Signature-Input` has them.
    /// - Throws: `AuthError.unsignableMessage` where a part is missing or ambiguous, `AuthError.malformedSignature` where
    ///   a component stands twice or is not understood.
    static func text(
        for input: StructuredInnerList, of message: SignedMessage, structured kinds: StructuredKinds
    ) throws(AuthError) -> String {
        var components: [SignatureComponent] = []
        for item in input.items { components.append(try SignatureComponent(item)) }
        guard Set(components).count == components.count else { throw .malformedSignature("a component stands twice") }
        var text = ""
        for (component, item) in zip(components, input.items) {
            let value = try self.value(of: component, in: message.source(of: component), kinds)
            // §2.5: a line break would let a value be read as another line.
            guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
                throw .unsignableMessage("a covered value holds characters other than printable ASCII")
            }
            text += "\(try serialized(item)): \(value)\n"
        }
        return text + "\"@signature-params\": \(try serialized(input))"
    }

    private static func value(
        of component: SignatureComponent, in message: SignedMessage, _ kinds: StructuredKinds
    ) throws(AuthError) -> String {
        guard component.name.hasPrefix("@") else {
            return try FieldComponent(component, in: message, kinds).value()
        }
        switch message {
        case .request(let request): return try derived(component, from: request)
        case .response(let response, _):
            guard component.name == "@status" else {
                throw .unsignableMessage("a response has no method and no target; add req to the component")
            }
            return String(response.status.rawValue)
        }
    }

    /// §2.2.
    private static func derived(
        _ component: SignatureComponent, from request: HTTPRequest
    ) throws(AuthError) -> String {
        switch component.name {
        case "@method": return request.method.rawValue
        case "@target-uri": return "\(request.origin)\(request.path)"
        case "@authority": return request.origin.authority
        case "@scheme": return request.origin.scheme
        case "@request-target": return request.path
        case "@path": return request.pathWithoutQuery.isEmpty ? "/" : String(request.pathWithoutQuery)
        case "@query": return "?" + (request.query ?? "")
        case "@query-param":
            return try QueryParameters.value(named: component.parameters["name"]?.text ?? "", in: request)
        default: throw .unsignableMessage("a request has no status")
        }
    }

    private static func serialized(_ item: StructuredItem) throws(AuthError) -> String {
        do { return try item.serialized() } catch { throw .malformedSignature("a component has no spelling") }
    }

    static func serialized(_ list: StructuredInnerList) throws(AuthError) -> String {
        do { return try list.serialized() } catch { throw .malformedSignature("a parameter has no spelling") }
    }
}

extension SignedText {
    /// The bases of all signatures of a request, for those who compare them with another implementation's.
    package static func texts(of request: HTTPRequest) throws(AuthError) -> [String] {
        try texts(of: .request(request))
    }

    /// The bases of all signatures of a response.
    package static func texts(
        of response: HTTPResponse, answering request: HTTPRequest?
    ) throws(AuthError) -> [String] {
        try texts(of: .response(response, answering: request))
    }

    private static func texts(of message: SignedMessage) throws(AuthError) -> [String] {
        var texts: [String] = []
        for unread in try SignatureCandidate.all(of: message.fields) {
            texts.append(try text(for: unread.read().input, of: message, structured: .registered))
        }
        return texts
    }
}
