// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// How the signed bytes are written into a text.
public enum JWSEncoding: Sendable, Hashable {
    /// In base64url, which every reader knows (RFC 7515).
    case base64url
    /// As they are (RFC 7797, `b64: false`), which a reader has to understand; never in a JWT (RFC 7797 §7).
    case unencoded
}

extension JWSEncoding {
    /// The payload as it stands in what is signed.
    func written(_ payload: [UInt8]) -> [UInt8] {
        switch self {
        case .base64url: Base64Alphabet.url.encode(payload)
        case .unencoded: payload
        }
    }

    /// The payload of a part that stands in a text.
    func read(_ part: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
        switch self {
        case .base64url: try Base64URL.decode(utf8: part)
        case .unencoded: Array(part)
        }
    }

    /// Whether the payload may stand between the dots of a compact text.
    ///
    /// RFC 7797 §5.2 leaves an unencoded one only characters that need no escaping, and no dot.
    func fitsCompactText(_ payload: some Collection<UInt8>) -> Bool {
        self == .base64url || payload.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ".") }
    }
}
