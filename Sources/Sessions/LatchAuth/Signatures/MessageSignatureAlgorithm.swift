// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchJOSE

extension Key {
    /// The name of the key's algorithm in RFC 9421 §3.3; nil if the RFC has none for it.
    var messageSignatureAlgorithm: String? {
        switch algorithm {
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

extension HTTPFieldName {
    /// The field with the covered components and the parameters (RFC 9421 §4.1).
    static let signatureInput: HTTPFieldName = "Signature-Input"
    /// The field with the signatures (RFC 9421 §4.2).
    static let signature: HTTPFieldName = "Signature"
}
