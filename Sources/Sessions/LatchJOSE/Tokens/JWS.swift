// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A JWS in compact serialization (RFC 7515 §7.1), with any payload.
///
/// ``JWT`` and ``JWTVerifier`` are for tokens with claims, ``JWSDocument`` for the JSON serialization.
public struct JWS: Sendable {
    /// The protected header, which the signature covers.
    public let header: JOSEHeader
    /// The signed content, decoded.
    public let payload: [UInt8]

    /// The default maximum length of a text, in bytes.
    ///
    /// 64 KiB is more than servers accept in a header field.
    public static let defaultLimit = 64 << 10

    /// Verifies a text.
    ///
    /// An unencoded payload (RFC 7797) is accepted if the header requires it.
    ///
    /// - Parameters:
    ///   - text: The text in the compact serialization.
    ///   - keys: The keys, one of which must have made the signature.
    ///   - algorithms: The accepted algorithms; the header must name one of them.
    ///   - understood: The critical header parameters that the caller processes (RFC 7515 §4.1.11).
    ///   - limit: The maximum length of the text in bytes; a longer text is rejected before it is parsed.
    /// - Throws: `JOSEError` for the first failed check.
    public init(
        verifying text: String, keys: KeySet, algorithms: [SignatureAlgorithm],
        understanding understood: Set<String> = [],
        limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try CompactSerialization(text, limit: limit)
        let header = try JOSEHeader(base64URL: parts.header)
        let encoding = try CriticalParameters.check(protected: header.members, understood: understood)
        guard encoding.fitsCompactText(parts.payload) else { throw .malformedToken("its payload cannot be part of it") }
        _ = try keys.requireSigner(
            under: header, algorithms: algorithms, signature: Base64URL.decode(utf8: parts.signature), of: parts.signed)
        self.header = header
        payload = try encoding.read(parts.payload)
    }

    /// Verifies a text with a detached payload (RFC 7515, Appendix F).
    ///
    /// - Parameters:
    ///   - text: The text in the compact serialization, with an empty payload.
    ///   - payload: The bytes of the payload, neither encoded nor changed.
    ///   - keys: The keys, one of which must have made the signature.
    ///   - algorithms: The accepted algorithms; the header must name one of them.
    ///   - understood: The critical header parameters that the caller processes (RFC 7515 §4.1.11).
    ///   - limit: The maximum length of the text in bytes; a longer text is rejected before it is parsed.
    /// - Throws: `JOSEError` for the first failed check.
    public init(
        verifying text: String, detachedPayload payload: [UInt8], keys: KeySet, algorithms: [SignatureAlgorithm],
        understanding understood: Set<String> = [], limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try CompactSerialization(text, limit: limit)
        guard parts.payload.isEmpty else { throw .malformedToken("it contains a payload besides the given one") }
        let header = try JOSEHeader(base64URL: parts.header)
        let encoding = try CriticalParameters.check(protected: header.members, understood: understood)
        let signed = parts.header + [UInt8(ascii: ".")] + encoding.written(payload)
        _ = try keys.requireSigner(
            under: header, algorithms: algorithms, signature: Base64URL.decode(utf8: parts.signature), of: signed)
        self.header = header
        self.payload = payload
    }

    /// Signs bytes.
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - key: The private key or shared secret.
    ///   - header: Additional header parameters; `alg` and `kid` come from the key, `b64` from the encoding.
    ///   - encoding: The encoding of the payload in the text.
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies. `JOSEError.unsignable` if the unencoded payload
    ///   does not fit the text, or if every verifier would reject the header.
    public static func sign(
        _ payload: [UInt8], with key: Key, header: JSONObject = [:], encoding: JWSEncoding = .base64url
    ) throws(JOSEError) -> String {
        guard encoding.fitsCompactText(payload) else {
            throw .unsignable("an unencoded payload contains a dot or a character outside printable ASCII")
        }
        return try signed(encoding.written(payload), after: try head(header, of: key, encoding), with: key)
    }

    /// Signs a detached payload, which the text does not contain (RFC 7515, Appendix F).
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - key: The private key or shared secret.
    ///   - header: Additional header parameters; `alg` and `kid` come from the key, `b64` from the encoding.
    ///   - encoding: The signed form of the payload. The unencoded form avoids encoding a large payload.
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies.
    public static func signDetached(
        _ payload: [UInt8], with key: Key, header: JSONObject = [:], encoding: JWSEncoding = .base64url
    ) throws(JOSEError) -> String {
        let head = try head(header, of: key, encoding)
        let signature = Base64Alphabet.url.encode(try key.signature(for: head + encoding.written(payload)))
        return String(decoding: head + [UInt8(ascii: ".")] + signature, as: UTF8.self)
    }

    /// Returns the beginning of a text: the encoded header and the dot after it.
    ///
    /// - Throws: `JOSEError.unsignable` if every verifier would reject the header.
    static func head(_ header: JSONObject, of key: Key, _ encoding: JWSEncoding) throws(JOSEError) -> [UInt8] {
        let members = protected(header, of: key, encoding)
        try CriticalParameters.requireReadable(protected: members)
        return Base64Alphabet.url.encode(JSONValue.object(members).serialized()) + [UInt8(ascii: ".")]
    }

    /// Signs an encoded payload, and returns the text of both after the head from ``head(_:of:_:)``.
    static func signed(_ payload: [UInt8], after head: [UInt8], with key: Key) throws(JOSEError) -> String {
        var text = head + payload
        let signature = Base64Alphabet.url.encode(try key.signature(for: text))
        text.append(UInt8(ascii: "."))
        text += signature
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the protected header: the parameters of the key, the caller and the encoding.
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
    /// Returns the key that made a signature.
    ///
    /// RFC 8725 §3.1: the caller must accept the algorithm, and the key must be for it.
    func requireSigner(
        under header: JOSEHeader, algorithms: [SignatureAlgorithm], signature: [UInt8], of signed: ArraySlice<UInt8>
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

/// The encoding of a payload.
public enum JWSEncoding: Sendable, Hashable {
    /// The payload in base64url, which every verifier supports (RFC 7515).
    case base64url
    /// The unencoded payload (RFC 7797, `b64: false`), which the verifier must support; never in a JWT (RFC 7797 §7).
    case unencoded
}

extension JWSEncoding {
    /// Encodes a payload.
    func written(_ payload: [UInt8]) -> [UInt8] {
        switch self {
        case .base64url: Base64Alphabet.url.encode(payload)
        case .unencoded: payload
        }
    }

    /// Decodes a payload.
    func read(_ part: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        switch self {
        case .base64url: try Base64URL.decode(utf8: part)
        case .unencoded: Array(part)
        }
    }

    /// Whether a compact serialization can contain the payload.
    ///
    /// RFC 7797 §5.2 permits only printable ASCII characters without dots in an unencoded payload.
    func fitsCompactText(_ payload: some Collection<UInt8>) -> Bool {
        self == .base64url || payload.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ".") }
    }
}

/// The encoded parts of a compact serialization (RFC 7515 §7.1).
///
/// All are slices of one array, so that nothing is copied before the signature is verified.
struct CompactSerialization {
    /// The encoded header.
    let header: ArraySlice<UInt8>
    /// The encoded payload.
    let payload: ArraySlice<UInt8>
    /// The encoded signature; an empty one is not valid for any algorithm.
    let signature: ArraySlice<UInt8>
    /// The signing input: header, dot and payload.
    let signed: ArraySlice<UInt8>

    /// The separator, which is not in the base64url alphabet.
    private static let dot = UInt8(ascii: ".")

    /// - Parameter limit: The maximum length; a longer text is rejected before it is parsed.
    init(_ text: String, limit: Int) throws(JOSEError) {
        guard text.utf8.count <= limit else { throw .malformedToken("it is longer than \(limit) bytes") }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(of: Self.dot),
            let second = bytes[(first + 1)...].firstIndex(of: Self.dot),
            !bytes[(second + 1)...].contains(Self.dot)
        else { throw .malformedToken("it has not three parts") }
        header = bytes[..<first]
        payload = bytes[(first + 1)..<second]
        signature = bytes[(second + 1)...]
        signed = bytes[..<second]
    }
}
