// SPDX-License-Identifier: Apache-2.0

import LatchCore
internal import LatchHTTP
internal import LatchJOSE
package import PortableFoundation

/// The parameters of a signature (RFC 9421 §2.3).
package struct SignatureParameters: Sendable, Hashable {
    private let structured: StructuredParameters

    /// Checks the parameters of a message.
    ///
    /// Unknown parameters are ignored, but the signature covers them.
    ///
    /// - Throws: `AuthError.malformedSignature` if a parameter has the wrong type.
    init(_ parameters: StructuredParameters) throws(AuthError) {
        for name in ["created", "expires"] where parameters[name] != nil && parameters[name]?.integerValue == nil {
            throw .malformedSignature("a time is not an integer")
        }
        for name in ["nonce", "alg", "keyid", "tag"]
        where parameters[name] != nil && parameters[name]?.stringValue == nil {
            throw .malformedSignature("a parameter is not a string")
        }
        structured = parameters
    }

    /// The date of the signature.
    package var created: Date? { date("created") }
    /// The expiry of the signature.
    package var expires: Date? { date("expires") }
    /// A unique value.
    package var nonce: String? { structured["nonce"]?.stringValue }
    /// The registered name of the algorithm, which the key implies anyway.
    package var algorithm: String? { structured["alg"]?.stringValue }
    package var keyID: String? { structured["keyid"]?.stringValue }
    /// The application's name for the purpose of the signature.
    package var tag: String? { structured["tag"]?.stringValue }

    private func date(_ name: String) -> Date? {
        structured[name]?.integerValue.map { Date(timeIntervalSince1970: Double($0)) }
    }
}

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
