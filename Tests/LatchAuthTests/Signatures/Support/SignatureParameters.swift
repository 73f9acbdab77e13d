// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP

@testable import LatchAuth

/// The parameters of a signature (RFC 9421 §2.3).
struct SignatureParameters: Sendable, Hashable {
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
    var created: Date? { date("created") }
    /// The expiry of the signature.
    var expires: Date? { date("expires") }
    /// A unique value.
    var nonce: String? { structured["nonce"]?.stringValue }
    /// The registered name of the algorithm, which the key implies anyway.
    var algorithm: String? { structured["alg"]?.stringValue }
    var keyID: String? { structured["keyid"]?.stringValue }
    /// The application's name for the purpose of the signature.
    var tag: String? { structured["tag"]?.stringValue }

    private func date(_ name: String) -> Date? {
        structured[name]?.integerValue.map { Date(timeIntervalSince1970: Double($0)) }
    }
}
