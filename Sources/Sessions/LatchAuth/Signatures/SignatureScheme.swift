// SPDX-License-Identifier: Apache-2.0

internal import LatchJOSE

/// The names of algorithms in RFC 9421 §3.3 and the keys that they belong to.
enum SignatureScheme {
    /// The registered name of what a key does; nil for a key that RFC 9421 has no name for.
    static func name(of key: Key) -> String? {
        switch key.algorithm {
        case .hs256: "hmac-sha256"
        case .es256: "ecdsa-p256-sha256"
        case .es384: "ecdsa-p384-sha384"
        case .eddsa: "ed25519"
        case .ps512: "rsa-pss-sha512"
        case .rs256: "rsa-v1_5-sha256"
        default: nil
        }
    }
}
