// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The client credentials of an Authorization field (RFC 6749 §2.3.1).
package struct ClientCredentials: Sendable, Hashable {
    /// The `client_id`; never empty.
    package let id: String
    /// The `client_secret` in both of its readings; empty for an empty secret.
    package let secrets: Set<String>

    /// Returns whether a field has the Basic scheme, compared without case (RFC 9110 §11.1).
    package static func isBasic(_ field: String) -> Bool {
        field.utf8.prefix(scheme.count).map(asciiLowercased).elementsEqual(scheme)
    }

    /// Parses a field of the Basic scheme (RFC 7617 §2); nil if it is malformed or ambiguous.
    ///
    /// Both halves are form-encoded before they are joined (RFC 6749 §2.3.1). But many clients send the secret
    /// unencoded, for example in base64 with its plus signs. So both readings count.
    package init?(basic field: String) {
        let encoded = field.utf8.dropFirst(Self.scheme.count).drop { $0 == 0x20 }
        // RFC 4648 §4: the padding is redundant.
        guard Self.isBasic(field), let last = encoded.lastIndex(where: { $0 != 0x3D }),
            let bytes = Base64Alphabet.standard.decode(encoded[...last]),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.utf8.firstIndex(of: 0x3A),
            let id = percentDecoded(text.utf8[..<colon], plusIsSpace: true), !id.isEmpty
        else { return nil }
        self.id = id
        let plain = text.utf8[text.utf8.index(after: colon)...]
        let readings = [String(Substring(plain)), percentDecoded(plain, plusIsSpace: true)]
        secrets = Set(readings.compactMap { $0 }.filter { !$0.isEmpty })
    }

    private static let scheme = Array("basic ".utf8)
}

extension ClientCredentials: Redacting {
    package var description: String { "ClientCredentials(\(id))" }
}
