// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchCrypto
package import LatchFoundation
package import LatchHTTP
import LatchIdentityStorage
import LatchJOSE

/// The signatures of the requests to one hook: those of Standard Webhooks 1.0, and of HTTP (RFC 9421).
///
/// Both sign the content, its identifier and its time with the secret. Libraries for webhooks verify the first one. The
/// second one also covers the method and the URL.
package struct HookSecret: Sendable {
    /// The beginning of a secret in its text form (Standard Webhooks, "Signature scheme").
    private static let prefix = "whsec_"
    /// The bytes of a secret: those that HMAC-SHA256 can use (RFC 2104 §3).
    private static let sizes = 32...64

    private let keys: [SymmetricKey]
    private let signatures: [MessageSignature]

    /// Reads a secret, or two that are separated by a comma while the program changes over; the first one is the newer.
    ///
    /// Nil for a text that is not such a secret.
    ///
    /// - Parameter name: The name of the hook, which is the ID of the key.
    package init?(_ text: String, of name: String, clock: WallClock) {
        var keys: [SymmetricKey] = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard part.starts(with: Self.prefix.utf8) else { return nil }
            var encoded = part.dropFirst(Self.prefix.utf8.count)
            while encoded.last == UInt8(ascii: "=") { encoded.removeLast() }
            guard let bytes = Base64Alphabet.standard.decode(encoded), Self.sizes.contains(bytes.count) else {
                return nil
            }
            keys.append(SymmetricKey(data: bytes))
        }
        guard (1...2).contains(keys.count) else { return nil }
        do {
            signatures = try keys.enumerated().map { index, key in
                try MessageSignature(
                    try Key(secret: key, id: name),
                    covering: ["@method", "@target-uri", "content-type", "webhook-id", "webhook-timestamp"],
                    label: "sig\(index + 1)", tag: "latch-hook", namesAlgorithm: true, clock: clock)
            }
        } catch {
            return nil
        }
        self.keys = keys
    }

    /// Signs a request with its final content.
    ///
    /// - Parameters:
    ///   - id: The identifier of the message, which its repetitions have too.
    ///   - now: The time of this attempt.
    /// - Throws: The error of the signature, which no request of this server gets.
    package func sign(_ request: inout HTTPRequest, content: [UInt8], id: String, at now: Date) async throws {
        let time = String(Int64(now.timeIntervalSince1970.rounded(.down)))
        let signed = Array("\(id).\(time).".utf8) + content
        request.fields["webhook-id"] = id
        request.fields["webhook-timestamp"] = time
        request.fields["webhook-signature"] = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
            return "v1,\(Base64Alphabet.standard.encodePadded(Array(code)))"
        }.joined(separator: " ")
        for signature in signatures { try await signature.authorize(&request) }
    }
}

extension HookSecret: Redacting {
    package var description: String { "HookSecret(redacted)" }
}
