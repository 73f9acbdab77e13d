// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Signed bytes in compact form (RFC 7515 §7.1), whatever they mean.
///
/// For tokens with claims there are ``JWT`` and ``JWTVerifier``.
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
    /// - Parameter algorithms: Those that are accepted; the text's own choice counts only among them.
    /// - Throws: `JOSEError` with the reason; no payload is to be had then.
    public init(
        verifying text: String, keys: KeySet, algorithms: [SignatureAlgorithm], limit: Int = defaultLimit
    ) throws(JOSEError) {
        let parts = try CompactParts(text, limit: limit)
        header = try SignatureCheck(keys: keys, algorithms: algorithms).header(of: parts)
        payload = try Base64URL.decode(utf8: parts.payload)
    }

    /// Signs bytes.
    ///
    /// - Parameter header: More members for the header; `alg` and `kid` come from the key.
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies.
    public static func sign(
        _ payload: [UInt8], with key: Key, header: JSONObject = [:]
    ) throws(JOSEError) -> String {
        var members: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        if let id = key.id { members["kid"] = .string(id) }
        for member in header where member.key != "alg" && member.key != "kid" { members[member.key] = member.value }
        let alphabet = Base64Alphabet.url
        var text = alphabet.encode(JSONValue.object(members).serialized())
        text.append(UInt8(ascii: "."))
        text += alphabet.encode(payload)
        let signature = try key.signature(for: text)
        text.append(UInt8(ascii: "."))
        text += alphabet.encode(signature)
        return String(decoding: text, as: UTF8.self)
    }
}
