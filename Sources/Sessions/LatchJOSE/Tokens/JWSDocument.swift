// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A JWS in JSON serialization, with one or more signatures (RFC 7515 §7.2).
///
/// ```swift
/// let text = try JWSDocument.sign(payload, by: [.init(key)]).serialized()
/// let document = try JWSDocument(verifying: text, keys: keys, algorithms: [.es256])
/// ```
public struct JWSDocument: Sendable {
    /// The content that all signatures cover, decoded.
    public let payload: [UInt8]
    /// The valid signatures, in the order of the text; at least one.
    public let signatures: [Signature]

    /// A valid signature.
    public struct Signature: Sendable {
        /// The key of the signer.
        public let key: Key
        /// The protected header parameters.
        public let protected: JSONObject
        /// The unprotected header parameters, which an attacker may have changed.
        public let unprotected: JSONObject
    }

    /// The signatures that must be valid.
    public enum Requirement: Sendable, Hashable {
        /// Every signature must be valid.
        ///
        /// A signature by an unknown key or with another algorithm makes the text invalid.
        case every
        /// At least one signature must be valid; invalid ones are not in ``JWSDocument/signatures``.
        case one
    }

    /// The maximum number of signatures, each of which costs a verification.
    public static let mostSignatures = 16

    /// The default maximum length of a text, in bytes.
    public static let defaultLimit = 1 << 20

    /// Verifies a text in the general or the flattened form.
    ///
    /// - Parameters:
    ///   - text: The JSON text, in UTF-8.
    ///   - keys: The keys, each of which may have made a signature.
    ///   - algorithms: The accepted algorithms; each header must name one of them.
    ///   - requirement: The signatures that must be valid.
    ///   - detached: The payload if the text contains none (RFC 7515, Appendix F); nil if it does.
    ///   - understood: The critical header parameters that the caller processes (RFC 7515 §4.1.11).
    ///   - limit: The maximum length of the text in bytes.
    /// - Throws: `JOSEError` for the first failed check.
    public init(
        verifying text: [UInt8], keys: KeySet, algorithms: [SignatureAlgorithm],
        requiring requirement: Requirement = .every,
        detachedPayload detached: [UInt8]? = nil, understanding understood: Set<String> = [],
        limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try JWSDocumentParts(text, limit: limit)
        let encoding = try parts.encoding(understood: understood)
        guard (parts.payload == nil) != (detached == nil) else {
            throw .malformedToken("it has a payload in addition to the given one, or there is neither")
        }
        payload = try parts.payload.map { part throws(JOSEError) in try encoding.read(part) } ?? detached ?? []
        let written = parts.payload ?? encoding.written(payload)
        var valid: [Signature] = []
        var failure: JOSEError?
        for entry in parts.entries {
            do {
                valid.append(try entry.verified(over: written, keys: keys, algorithms: algorithms))
            } catch  where requirement == .one {
                failure = failure ?? error
            }
        }
        guard !valid.isEmpty else { throw failure ?? .badSignature }
        signatures = valid
    }
}

extension JWSDocumentParts.Entry {
    /// Verifies the signature of an encoded payload.
    fileprivate func verified(
        over payload: [UInt8], keys: KeySet, algorithms: [SignatureAlgorithm]
    ) throws(JOSEError) -> JWSDocument.Signature {
        let signed = protectedText + [UInt8(ascii: ".")] + payload
        let key = try keys.requireSigner(
            under: header, algorithms: algorithms, signature: signature, of: signed[...])
        return JWSDocument.Signature(key: key, protected: protected, unprotected: unprotected)
    }
}

extension JWSDocument {
    /// A signer of a JWS, with its header parameters.
    public struct Signer: Sendable {
        /// The key that signs.
        public let key: Key
        /// The protected header parameters, besides the `alg` and `kid` of the key.
        public var protected: JSONObject
        /// The unprotected header parameters; an `alg` or `kid` here replaces the protected one.
        public var unprotected: JSONObject

        /// Creates a signer.
        public init(_ key: Key, protected: JSONObject = [:], unprotected: JSONObject = [:]) {
            self.key = key
            self.protected = protected
            self.unprotected = unprotected
        }
    }

    /// The form of a JSON serialization.
    public enum Form: Sendable, Hashable {
        /// The general form, with a list of signatures (RFC 7515 §7.2.1).
        case general
        /// The flattened form, with one signature (RFC 7515 §7.2.2).
        case flattened
    }

    /// Signs bytes.
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - signers: The signers, at least one and at most ``JWSDocument/mostSignatures``.
    ///   - form: The form; the flattened one has exactly one signer.
    ///   - isDetached: Whether the text omits the payload (RFC 7515, Appendix F).
    ///   - encoding: The encoding of the payload, in the text and in the signing input.
    /// - Throws: `JOSEError.unsuitableKey` if a key only verifies. `JOSEError.unsignable` if an unencoded payload is
    ///   not text, or if the form does not permit that many signers.
    public static func sign(
        _ payload: [UInt8], by signers: [Signer], form: Form = .general, isDetached: Bool = false,
        encoding: JWSEncoding = .base64url
    ) throws(JOSEError) -> JSONValue {
        let fits = form == .general ? 1...mostSignatures : 1...1
        guard fits.contains(signers.count) else { throw .unsignable("it has no place for that many signers") }
        let written = encoding.written(payload)
        var document: JSONObject = [:]
        if !isDetached {
            // RFC 7797 §4: an unencoded payload is a JSON string.
            guard let text = String(validating: written, as: UTF8.self) else {
                throw .unsignable("the payload is not text")
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

extension JWSDocument.Signer {
    /// Signs an encoded payload, and returns the members of the signature object.
    fileprivate func signature(over payload: [UInt8], _ encoding: JWSEncoding) throws(JOSEError) -> JSONObject {
        var signed = JWS.protected(protected, of: key, encoding)
        var unsigned = unprotected
        for name in ["alg", "kid"] where unprotected[name] != nil {
            unsigned[name] = signed[name]
            signed[name] = nil
        }
        guard unsigned.allSatisfy({ signed[$0.key] == nil }) else {
            throw .unsignable("a member is in both headers")
        }
        try CriticalParameters.requireReadable(protected: signed, unprotected: unsigned)
        let head = signed.isEmpty ? [] : Base64Alphabet.url.encode(JSONValue.object(signed).serialized())
        let code = try key.signature(for: head + [UInt8(ascii: ".")] + payload)
        var object: JSONObject = [:]
        if !head.isEmpty { object["protected"] = .string(String(decoding: head, as: UTF8.self)) }
        if !unsigned.isEmpty { object["header"] = .object(unsigned) }
        object["signature"] = .string(Base64URL.encode(code))
        return object
    }
}

/// The parts of a JSON serialization, before verification.
struct JWSDocumentParts {
    /// One signature with its headers.
    struct Entry {
        /// The encoded protected header; empty if there is none.
        let protectedText: [UInt8]
        let protected: JSONObject
        let unprotected: JSONObject
        /// The parameters of both headers.
        let header: JOSEHeader
        let signature: [UInt8]
    }

    /// The encoded payload; nil if it is detached.
    let payload: [UInt8]?
    let entries: [Entry]

    /// The maximum nesting: that of a header plus two levels.
    private static let depth = 10

    init(_ text: [UInt8], limit: Int) throws(JOSEError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text, limits: JSONLimits(depth: Self.depth, bytes: limit))
        } catch {
            throw .malformedToken("it is not JSON, or too long")
        }
        guard let members = value.objectValue else { throw .malformedToken("it is not an object") }
        payload = try members.tokenPart("payload").map { Array($0.utf8) }
        var entries: [Entry] = []
        for object in try Self.objects(in: members) { entries.append(try Entry(object)) }
        self.entries = entries
    }

    /// Returns the signature objects: those of the list, or the document itself in the flattened form.
    private static func objects(in members: JSONObject) throws(JOSEError) -> [JSONObject] {
        guard let signatures = members["signatures"] else { return [members] }
        // RFC 7515 §7.2.2: with both forms in one text, verifiers would differ in which one they use.
        guard members["signature"] == nil, members["protected"] == nil, members["header"] == nil else {
            throw .malformedToken("it mixes the general and the flattened form")
        }
        let objects = signatures.arrayValue?.map(\.objectValue) ?? []
        guard (1...JWSDocument.mostSignatures).contains(objects.count) else {
            throw .malformedToken("it has no list of signatures, or too long a one")
        }
        guard !objects.contains(where: { $0 == nil }) else { throw .malformedToken("a signature is not an object") }
        return objects.compactMap(\.self)
    }

    /// Returns the encoding of the payload, which must be the same for all signatures.
    func encoding(understood: Set<String>) throws(JOSEError) -> JWSEncoding {
        var agreed: JWSEncoding?
        for entry in entries {
            let encoding = try CriticalParameters.check(
                protected: entry.protected, unprotected: entry.unprotected, understood: understood)
            // RFC 7797 §3: with several signatures, b64 is the same in each.
            guard agreed == nil || agreed == encoding else { throw .malformedToken("its signatures differ in b64") }
            agreed = encoding
        }
        return agreed ?? .base64url
    }
}

extension JWSDocumentParts.Entry {
    fileprivate init(_ object: JSONObject) throws(JOSEError) {
        guard let code = try object.tokenPart("signature") else { throw .malformedToken("it lacks a signature") }
        let text = try object.tokenPart("protected")
        // RFC 7515 §7.2.1: an empty header is omitted.
        guard text?.isEmpty != true else { throw .malformedToken("its protected header is empty") }
        let signed = text.map { Array($0.utf8) } ?? []
        let protected: JSONObject = signed.isEmpty ? [:] : try JOSEHeader.members(base64URL: signed[...])
        let header = object["header"] ?? [:]
        guard let unprotected = header.objectValue else { throw .malformedToken("its header is not an object") }
        // RFC 7515 §7.2.1: the two headers share no name, so that no unprotected parameter replaces a protected one.
        guard unprotected.allSatisfy({ protected[$0.key] == nil }) else {
            throw .malformedToken("a member is in both headers")
        }
        self.init(
            protectedText: signed, protected: protected, unprotected: unprotected,
            header: try JOSEHeader(JSONObject(Array(protected) + Array(unprotected))),
            signature: try Base64URL.decode(code))
    }
}
