// SPDX-License-Identifier: Apache-2.0

import LatchCore
internal import LatchHTTP
internal import LatchJOSE
package import PortableFoundation

/// The parameters of a signature (RFC 9421 §2.3).
package struct SignatureParameters: Sendable, Hashable {
    /// The date of the signature.
    package var created: Date?
    /// The expiry of the signature.
    package var expires: Date?
    /// A unique value.
    package var nonce: String?
    /// The registered name of the algorithm, which the key implies anyway.
    package var algorithm: String?
    /// The ID of the key.
    package var keyID: String?
    /// The application's name for the purpose of the signature.
    package var tag: String?

    /// Creates empty parameters.
    package init() {}

    /// Parses the parameters of a message; unknown ones are ignored, and covered by the signature all the same.
    ///
    /// - Throws: `AuthError.malformedSignature` where one has the wrong type.
    init(_ parameters: StructuredParameters) throws(AuthError) {
        created = try Self.date(parameters["created"])
        expires = try Self.date(parameters["expires"])
        nonce = try Self.text(parameters["nonce"])
        algorithm = try Self.text(parameters["alg"])
        keyID = try Self.text(parameters["keyid"])
        tag = try Self.text(parameters["tag"])
    }

    /// The parameters as structured-field parameters.
    var structured: StructuredParameters {
        var parameters = StructuredParameters()
        parameters["created"] = created.map { .integer(Self.seconds($0)) }
        parameters["expires"] = expires.map { .integer(Self.seconds($0)) }
        parameters["nonce"] = nonce.map { .string($0) }
        parameters["alg"] = algorithm.map { .string($0) }
        parameters["keyid"] = keyID.map { .string($0) }
        parameters["tag"] = tag.map { .string($0) }
        return parameters
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(HTTPDate(date).date.timeIntervalSince1970) }

    private static func date(_ value: StructuredValue?) throws(AuthError) -> Date? {
        guard let value else { return nil }
        guard let seconds = value.integerValue else { throw .malformedSignature("a time is not an integer") }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func text(_ value: StructuredValue?) throws(AuthError) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue else { throw .malformedSignature("a parameter is not a string") }
        return text
    }
}

extension Key {
    /// The name of the key's algorithm in RFC 9421 §3.3; nil where that has none.
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
