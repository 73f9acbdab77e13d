// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// What the sender of a token has to prove: a key (RFC 9449), a certificate (RFC 8705), both, or nothing.
package struct TokenBinding: Sendable, Hashable {
    /// The thumbprint of the key (RFC 9449 §6.1); nil for none.
    package var key: String?
    /// The thumbprint of the certificate (RFC 8705 §3.1); nil for none.
    package var certificate: String?

    package init(key: String? = nil, certificate: String? = nil) {
        self.key = key
        self.certificate = certificate
    }

    /// Reads the members of a claim `cnf` (RFC 7800 §3.1).
    package init(_ members: JSONObject) {
        self.init(key: members["jkt"]?.stringValue, certificate: members["x5t#S256"]?.stringValue)
    }

    /// The members of a claim `cnf`; empty for a bearer token.
    package var members: JSONObject {
        var members: JSONObject = [:]
        members["jkt"] = key.map { .string($0) }
        members["x5t#S256"] = certificate.map { .string($0) }
        return members
    }

    /// Whether any sender may use the token.
    package var isEmpty: Bool { key == nil && certificate == nil }

    /// Returns whether a sender who has proved what `proved` names may use the token.
    package func isSatisfied(by proved: TokenBinding) -> Bool {
        (key == nil || key == proved.key) && (certificate == nil || certificate == proved.certificate)
    }
}
