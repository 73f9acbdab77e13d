// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchJOSE

/// A client's statement about a ceremony (WebAuthn Level 3 §5.8.1).
package struct ClientData: Sendable {
    let type: String
    /// The challenge, as the client states it.
    package let challenge: [UInt8]
    let origin: String
    /// Whether the page was embedded in a page of another origin.
    let isEmbedded: Bool

    /// Parses the client's JSON.
    ///
    /// - Throws: `WebAuthnError.malformedClientData`.
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        // UTF-8 decode (Encoding §6) drops a byte order mark.
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: bytes.withoutByteOrderMark, limits: JSONLimits(depth: 8, bytes: 16 << 10))
        } catch {
            throw .malformedClientData
        }
        guard let object = value.objectValue, let type = object["type"]?.stringValue,
            let origin = object["origin"]?.stringValue,
            let text = object["challenge"]?.stringValue, let challenge = try? Base64URL.decode(text)
        else { throw .malformedClientData }
        (self.type, self.origin, self.challenge) = (type, origin, challenge)
        switch object["crossOrigin"] {
        case nil, .bool(false): isEmbedded = object["topOrigin"] != nil
        case .bool(true): isEmbedded = true
        default: throw .malformedClientData
        }
    }
}
