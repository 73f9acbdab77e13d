// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// The text form of bytes in tokens and keys (RFC 7515 §2): base64url without padding.
public enum Base64URL {
    /// Encodes bytes.
    ///
    /// The result has four characters for three bytes, rounded up, and never a `=`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: Base64Alphabet.url.encode(bytes), as: UTF8.self)
    }

    /// Decodes a text.
    ///
    /// - Throws: `JOSEError.malformedToken` at padding, whitespace, foreign characters, or bits that no encoder sets
    ///   (RFC 4648 §3.5). Each value therefore has one spelling.
    public static func decode(_ text: some StringProtocol) throws(JOSEError) -> [UInt8] {
        try decode(utf8: text.utf8)
    }

    /// Decodes the UTF-8 bytes of a text.
    static func decode(utf8 text: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64Alphabet.url.decode(text) else { throw .malformedToken("a part is not base64url") }
        return bytes
    }
}
