// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchJOSE

/// A failure of a virtual authenticator, which a browser reports as a `DOMException`.
public enum VirtualAuthenticatorError: String, Error, Sendable, CaseIterable {
    /// The options are not valid for a relying party.
    case malformedOptions
    /// The relying party is not the origin's (`SecurityError`).
    case foreignRelyingParty
    /// No credential matches the options, or the user cannot be verified (`NotAllowedError`).
    case notAllowed
    /// The options exclude a credential of the authenticator (`InvalidStateError`).
    case alreadyRegistered
    /// ES256 is not among the algorithms (`NotSupportedError`).
    case unsupported
}

/// The options of a ceremony, as a client reads them.
struct PasskeyOptions {
    let json: JSONObject
    private let challenge: String

    init(_ data: Data) throws(VirtualAuthenticatorError) {
        guard let json = try? JSONValue(parsing: data).objectValue, let challenge = json["challenge"]?.stringValue,
            let bytes = try? Base64URL.decode(challenge), !bytes.isEmpty
        else { throw .malformedOptions }
        (self.json, self.challenge) = (json, challenge)
    }

    /// Returns the identifiers of a list of credentials.
    func credentials(_ name: String) -> [[UInt8]] {
        (json[name]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue.flatMap { try? Base64URL.decode($0) } }
    }

    /// Returns the client data in the form of WebAuthn Level 3 §5.8.1.1.
    func clientData(_ type: String, origin: String) -> [UInt8] {
        let origin = JSONValue.string(origin).serialized()
        let head = #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"#
        return Array(head.utf8) + origin + Array(#","crossOrigin":false}"#.utf8)
    }

    /// Checks that a relying party is the host of an origin or a domain above it (§5.1.3 step 8).
    static func check(_ relyingParty: String, for origin: String) throws(VirtualAuthenticatorError) {
        let host = host(of: origin)
        let isOwn = host.utf8.elementsEqual(relyingParty.utf8)
        guard isOwn || Array(host.utf8).suffix(relyingParty.utf8.count + 1).elementsEqual(".\(relyingParty)".utf8)
        else { throw .foreignRelyingParty }
    }

    /// Returns the host of an origin, or the text itself if it is not an origin.
    static func host(of origin: String) -> String { URL(string: origin)?.host() ?? origin }
}
