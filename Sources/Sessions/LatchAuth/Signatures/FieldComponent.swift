// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchHTTP

/// The value of a field as a signature covers it (RFC 9421 §2.1).
struct FieldComponent {
    private let parameters: StructuredParameters
    private let name: HTTPFieldName
    private let lines: [String]
    private let kinds: StructuredKinds

    /// - Throws: `AuthError.unsignableMessage` where the message has no such field.
    init(_ component: SignatureComponent, in message: SignedMessage, _ kinds: StructuredKinds) throws(AuthError) {
        name = HTTPFieldName(component.name)
        parameters = component.parameters
        self.kinds = kinds
        lines = Self.lines(of: name, in: message)
        guard !lines.isEmpty else { throw .unsignableMessage("it has no field \(name)") }
    }

    /// The lines without surrounding whitespace; those that the transport writes as it will write them.
    private static func lines(of name: HTTPFieldName, in message: SignedMessage) -> [String] {
        let lines = message.fields.values(of: name).map(trimmed)
        guard lines.isEmpty else { return lines }
        switch (name, message) {
        // A message without content may have no length at all; whoever sets one has it covered.
        case (.contentLength, _): return (message.body.length ?? 0) > 0 ? [String(message.body.length ?? 0)] : []
        case (.host, .request(let request)): return [request.authority]
        default: return []
        }
    }

    func value() throws(AuthError) -> String {
        if parameters.isTrue("bs") {
            // §2.1.3.
            return lines.map { ":\(Base64Alphabet.standard.encodePadded(Array($0.utf8))):" }.joined(separator: ", ")
        }
        let combined = lines.joined(separator: ", ")
        guard parameters["key"] != nil || parameters.isTrue("sf") else { return combined }
        do {
            return try structured(combined)
        } catch let error as AuthError {
            throw error
        } catch {
            throw .unsignableMessage("the field \(name) is not the structured field that it should be")
        }
    }

    private func structured(_ text: String) throws -> String {
        if let key = parameters["key"]?.text {
            // §2.1.2.
            guard let member = try StructuredDictionary(parsing: text)[key] else {
                throw AuthError.unsignableMessage("a member of the field \(name) is missing")
            }
            return try member.serialized()
        }
        // §2.1.1: which kind a field is cannot be seen from its value.
        switch kinds[name] {
        case .item: return try StructuredItem(parsing: text).serialized()
        case .list: return try StructuredList(parsing: text).serialized()
        case .dictionary: return try StructuredDictionary(parsing: text).serialized()
        case nil: throw AuthError.unsignableMessage("it is not known what kind of structured field \(name) is")
        }
    }

    /// RFC 9110 §5.5: spaces and tabs around a value do not belong to it.
    private static func trimmed(_ value: String) -> String {
        let bytes = value.utf8
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let rest = bytes.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(Substring(rest[...last]))
    }
}
