// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Signed bytes in compact form (RFC 7515 §7.1), whatever they mean.
///
/// For tokens with claims there are ``JWT`` and ``JWTVerifier``, for the form in JSON ``JWSDocument``.
public struct JWS: Sendable {
    /// The header.
    public let header: TokenHeader
    /// The bytes that were signed.
    public let payload: [UInt8]

    /// The longest text that is read.
    ///
    /// 64 KiB: more than servers take in a header field.
    public static let defaultLimit = 64 << 10

    /// Verifies a text.
    ///
    /// A payload that is not encoded (RFC 7797) is understood where the header demands it.
    ///
    /// - Parameters:
    ///   - algorithms: Those that are accepted; the text's own choice counts only among them.
    ///   - understood: The critical members of the header on which the caller acts (RFC 7515 §4.1.11).
    /// - Throws: `JOSEError` with the reason; no payload is to be had then.
    public init(
        verifying text: String, keys: KeySet, algorithms: [SignatureAlgorithm],
        understanding understood: Set<String> = [],
        limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try CompactParts(text, limit: limit)
        let header = try TokenHeader(base64URL: parts.header)
        let encoding = try CriticalMembers.check(protected: header.members, understood: understood)
        guard encoding.fitsCompactText(parts.payload) else { throw .malformedToken("its payload cannot stand there") }
        _ = try keys.requireSigner(
            under: header, algorithms: algorithms, signature: Base64URL.decode(utf8: parts.signature), of: parts.signed)
        self.header = header
        payload = try encoding.read(parts.payload)
    }

    /// Verifies a text whose payload came another way (RFC 7515, Appendix F).
    ///
    /// - Parameter payload: The bytes themselves, neither encoded nor changed.
    /// - Throws: `JOSEError` with the reason.
    public init(
        verifying text: String, detachedPayload payload: [UInt8], keys: KeySet, algorithms: [SignatureAlgorithm],
        understanding understood: Set<String> = [], limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try CompactParts(text, limit: limit)
        guard parts.payload.isEmpty else { throw .malformedToken("it brings a payload beside the one that is given") }
        let header = try TokenHeader(base64URL: parts.header)
        let encoding = try CriticalMembers.check(protected: header.members, understood: understood)
        let signed = parts.header + [UInt8(ascii: ".")] + encoding.written(payload)
        _ = try keys.requireSigner(
            under: header, algorithms: algorithms, signature: Base64URL.decode(utf8: parts.signature), of: signed)
        self.header = header
        self.payload = payload
    }

    /// Signs bytes.
    ///
    /// - Parameters:
    ///   - header: More members for the header; `alg` and `kid` come from the key, `b64` from the encoding.
    ///   - encoding: How the payload stands in the text.
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies, and `JOSEError.unsignable` where the payload is not
    ///   to be encoded and cannot stand in the text so, or the header is one that nobody may read.
    public static func sign(
        _ payload: [UInt8], with key: Key, header: JSONObject = [:], encoding: JWSEncoding = .base64url
    ) throws(JOSEError) -> String {
        guard encoding.fitsCompactText(payload) else {
            throw .unsignable("an unencoded payload has a dot or what is no ASCII")
        }
        return try Self.sign(payload, key, header, encoding).attached
    }

    /// Signs bytes that go another way; the text has nothing between its dots (RFC 7515, Appendix F).
    ///
    /// - Parameters:
    ///   - header: More members for the header; `alg` and `kid` come from the key, `b64` from the encoding.
    ///   - encoding: What is signed: the payload in base64url, or as it is, which spares large ones the encoding.
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies.
    public static func signDetached(
        _ payload: [UInt8], with key: Key, header: JSONObject = [:], encoding: JWSEncoding = .base64url
    ) throws(JOSEError) -> String {
        try sign(payload, key, header, encoding).detached
    }

    /// A signed text with its payload, and the same without it.
    private static func sign(
        _ payload: [UInt8], _ key: Key, _ header: JSONObject, _ encoding: JWSEncoding
    ) throws(JOSEError) -> (attached: String, detached: String) {
        let alphabet = Base64Alphabet.url
        let members = protected(header, of: key, encoding)
        try CriticalMembers.requireReadable(protected: members)
        let head = alphabet.encode(JSONValue.object(members).serialized())
        var text = head + [UInt8(ascii: ".")] + encoding.written(payload)
        let signature = [UInt8(ascii: ".")] + alphabet.encode(try key.signature(for: text))
        text += signature
        let detached = head + [UInt8(ascii: ".")] + signature
        return (String(decoding: text, as: UTF8.self), String(decoding: detached, as: UTF8.self))
    }

    /// The members that are signed: those of the key, then the caller's, then what the encoding demands.
    static func protected(_ header: JSONObject, of key: Key, _ encoding: JWSEncoding) -> JSONObject {
        var members: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        if let id = key.id { members["kid"] = .string(id) }
        for member in header where !["alg", "kid", "b64"].contains(member.key) { members[member.key] = member.value }
        guard encoding == .unencoded else { return members }
        members["b64"] = false
        members["crit"] = .array(["b64"] + (header["crit"]?.arrayValue ?? []).filter { $0 != "b64" })
        return members
    }
}

extension KeySet {
    /// The key whose signature it is.
    ///
    /// RFC 8725 §3.1: only an algorithm that the caller lists, and then only the one that the key itself is for.
    func requireSigner(
        under header: TokenHeader, algorithms: [SignatureAlgorithm], signature: [UInt8], of signed: ArraySlice<UInt8>
    ) throws(JOSEError) -> Key {
        guard algorithms.contains(header.algorithm) else { throw .refusedAlgorithm }
        let candidates = candidates(id: header.keyID, algorithm: header.algorithm)
        guard !candidates.isEmpty else { throw .unknownKey }
        guard let signer = candidates.first(where: { $0.material.isValidSignature(signature, for: signed) }) else {
            throw .badSignature
        }
        return signer
    }
}
