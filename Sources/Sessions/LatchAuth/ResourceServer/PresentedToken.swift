// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The access token of a request, and the scheme that it came with (RFC 6750 §2.1, RFC 9449 §7.1).
struct PresentedToken: Sendable {
    /// An authentication scheme of access tokens.
    enum Scheme: String, Sendable {
        /// The scheme of RFC 6750: every holder of the token may use it.
        case bearer = "Bearer"
        /// The scheme of RFC 9449: a proof of the key comes with the token.
        case dpop = "DPoP"
    }

    /// The reason why a request presents no token.
    enum Failure: Error {
        /// The request carries no access token (RFC 6750 §3.1: a challenge without an error code).
        case absent
        /// The request has a token in the wrong place, or more than one; the string completes a description.
        case malformed(String)
        /// The text in the token's place cannot be a token.
        case unusable(Scheme)
    }

    /// The maximum size of a token; a longer one is refused without being read.
    private static let maximumBytes = 16 << 10

    let text: String
    let scheme: Scheme

    /// Reads the token of a request.
    init(_ request: HTTPRequest) throws(Failure) {
        // RFC 9700 §4.3.2: a URL is stored and logged in many places. RFC 6750 §2.3 allows a token there, but this
        // resource does not.
        let isInQuery = request.rawQueryPairs.contains {
            PercentEncoding.decode($0.name.utf8, plusIsSpace: true) == Array("access_token".utf8)
        }
        guard !isInQuery else { throw .malformed("an access token belongs in the field Authorization, not in the URL") }
        let values = request.fields.values(of: .authorization)
        // RFC 6750 §3.1: a request must include a token once. Otherwise two parsers could use different tokens.
        guard values.count <= 1 else { throw .malformed("there is more than one field Authorization") }
        let parts = (values.first ?? "").unicodeScalars.split(separator: " ", maxSplits: 1).map { String($0) }
        // RFC 6750 §3.1: a request with another scheme presents no token.
        guard let name = parts.first, let scheme = Self.scheme(name) else { throw .absent }
        // RFC 9110 §11.4: one space or more.
        let text = Substring(parts.dropFirst().joined().utf8.drop { $0 == UInt8(ascii: " ") })
        guard text.utf8.count <= Self.maximumBytes, Self.isToken(text) else { throw .unusable(scheme) }
        (self.text, self.scheme) = (String(text), scheme)
    }

    private static func scheme(_ name: String) -> Scheme? {
        switch name.lowercasedASCII() {
        case "bearer": .bearer
        case "dpop": .dpop
        default: nil
        }
    }

    /// Whether a string is a b64token (RFC 6750 §2.1).
    private static func isToken(_ text: Substring) -> Bool {
        let body = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        return !body.isEmpty && text.utf8[body.endIndex...].allSatisfy { $0 == UInt8(ascii: "=") }
            && body.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
                default: false
                }
            }
    }
}
