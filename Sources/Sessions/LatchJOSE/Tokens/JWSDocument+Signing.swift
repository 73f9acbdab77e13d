// SPDX-License-Identifier: Apache-2.0

public import LatchCore

extension JWSDocument {
    /// Who signs, and what the headers say.
    public struct Signatory: Sendable {
        /// The key that signs.
        public let key: Key
        /// Members that are signed, beside the key's `alg` and `kid`.
        public var protected: JSONObject
        /// Members that are not signed; an `alg` or `kid` here takes the key's out of those that are.
        public var unprotected: JSONObject

        /// A signer.
        public init(_ key: Key, protected: JSONObject = [:], unprotected: JSONObject = [:]) {
            self.key = key
            self.protected = protected
            self.unprotected = unprotected
        }
    }

    /// How a text is laid out.
    public enum Form: Sendable, Hashable {
        /// A list of signatures (RFC 7515 §7.2.1).
        case general
        /// One signature, without a list (RFC 7515 §7.2.2).
        case flattened
    }

    /// Signs bytes.
    ///
    /// - Parameters:
    ///   - form: The general form, unless one signer wants the flattened one.
    ///   - isDetached: Whether the payload stays out of the text and goes another way (RFC 7515, Appendix F).
    ///   - encoding: How the payload stands in the text, and in what is signed.
    /// - Throws: `JOSEError.unsuitableKey` where a key only verifies, `JOSEError.unsignable` where the payload is
    ///   neither encoded nor text, or the form has no place for that many signers.
    public static func sign(
        _ payload: [UInt8], by signers: [Signatory], form: Form = .general, isDetached: Bool = false,
        encoding: JWSEncoding = .base64url
    ) throws(JOSEError) -> JSONValue {
        let fits = form == .general ? 1...mostSignatures : 1...1
        guard fits.contains(signers.count) else { throw .unsignable("it has no place for that many signers") }
        let written = encoding.written(payload)
        var document: JSONObject = [:]
        if !isDetached {
            // RFC 7797 §4: what is not encoded stands in the JSON as the text that it is.
            guard let text = String(validating: written, as: UTF8.self) else {
                throw .unsignable("the payload is no text")
            }
            document["payload"] = .string(text)
        }
        var signatures: [JSONObject] = []
        for signer in signers { signatures.append(try signer.signature(over: written, encoding)) }
        if form == .general {
            document["signatures"] = .array(signatures.map { .object($0) })
        } else {
            for member in signatures[0] { document[member.key] = member.value }
        }
        return .object(document)
    }
}

extension JWSDocument.Signatory {
    /// The members of one signature.
    fileprivate func signature(over payload: [UInt8], _ encoding: JWSEncoding) throws(JOSEError) -> JSONObject {
        var signed = JWS.protected(protected, of: key, encoding)
        var unsigned = unprotected
        for name in ["alg", "kid"] where unprotected[name] != nil {
            unsigned[name] = signed[name]
            signed[name] = nil
        }
        guard unsigned.allSatisfy({ signed[$0.key] == nil }) else {
            throw .unsignable("a member stands in both headers")
        }
        try CriticalMembers.requireReadable(protected: signed, unprotected: unsigned)
        let head = signed.isEmpty ? [] : Base64Alphabet.url.encode(JSONValue.object(signed).serialized())
        let code = try key.signature(for: head + [UInt8(ascii: ".")] + payload)
        var object: JSONObject = [:]
        if !head.isEmpty { object["protected"] = .string(String(decoding: head, as: UTF8.self)) }
        if !unsigned.isEmpty { object["header"] = .object(unsigned) }
        object["signature"] = .string(Base64URL.encode(code))
        return object
    }
}
