// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Signed bytes in JSON, by one signer or several (RFC 7515 §7.2).
///
/// ```swift
/// let text = try JWSDocument.sign(payload, by: [.init(key)]).serialized()
/// let document = try JWSDocument(verifying: text, keys: keys, algorithms: [.es256])
/// ```
public struct JWSDocument: Sendable {
    /// The bytes that were signed.
    public let payload: [UInt8]
    /// The signatures that hold, in the order of the text; one at least.
    public let signatures: [Signature]

    /// A signature that holds.
    public struct Signature: Sendable {
        /// The key that made it, which is the answer to who signed.
        public let key: Key
        /// The members that are signed.
        public let protected: JSONObject
        /// The members that are not: whoever passed the text on may have written them.
        public let unprotected: JSONObject
    }

    /// How many of a text's signatures have to hold.
    public enum Requirement: Sendable, Hashable {
        /// Every one: a signature by a key that is not known here, or by another algorithm, refuses the text.
        case every
        /// One at least; the others do not appear in ``JWSDocument/signatures``.
        case one
    }

    /// How many signatures are looked at, each of which costs a verification.
    public static let mostSignatures = 16

    /// The longest text that is read.
    public static let defaultLimit = 1 << 20

    /// Verifies a text, in the general form or the flattened one.
    ///
    /// - Parameters:
    ///   - algorithms: Those that are accepted; the text's own choice counts only among them.
    ///   - requirement: How many of the signatures have to hold.
    ///   - detached: The payload where the text has none, since it came another way (RFC 7515, Appendix F).
    ///   - understood: The critical members of a header on which the caller acts (RFC 7515 §4.1.11).
    /// - Throws: `JOSEError` with the first reason; no payload is to be had then.
    public init(
        verifying text: [UInt8], keys: KeySet, algorithms: [SignatureAlgorithm],
        requiring requirement: Requirement = .every,
        detachedPayload detached: [UInt8]? = nil, understanding understood: Set<String> = [],
        limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try JWSDocumentParts(text, limit: limit)
        let encoding = try parts.encoding(understood: understood)
        guard (parts.payload == nil) != (detached == nil) else {
            throw .malformedToken("it has a payload beside the one that is given, or neither is there")
        }
        payload = try parts.payload.map { part throws(JOSEError) in try encoding.read(part) } ?? detached ?? []
        let written = parts.payload ?? encoding.written(payload)
        var held: [Signature] = []
        var refusal: JOSEError?
        for entry in parts.entries {
            do {
                held.append(try entry.verified(over: written, keys: keys, algorithms: algorithms))
            } catch  where requirement == .one {
                refusal = refusal ?? error
            }
        }
        guard !held.isEmpty else { throw refusal ?? .badSignature }
        signatures = held
    }
}

extension JWSDocumentParts.Entry {
    /// The signature, if it holds over the payload as it was written.
    fileprivate func verified(
        over payload: [UInt8], keys: KeySet, algorithms: [SignatureAlgorithm]
    ) throws(JOSEError) -> JWSDocument.Signature {
        let signed = protectedText + [UInt8(ascii: ".")] + payload
        let key = try keys.requireSigner(
            under: header, algorithms: algorithms, signature: signature, of: signed[...])
        return JWSDocument.Signature(key: key, protected: protected, unprotected: unprotected)
    }
}
