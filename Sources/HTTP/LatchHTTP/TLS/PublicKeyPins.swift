// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The public keys that a host may use, in addition to the validation of its certificate chain.
///
/// ```swift
/// let pins = try PublicKeyPins(
///     for: "api.example.com", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
///     backup: "sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=")
/// ```
///
/// A pin is the SHA-256 of the SubjectPublicKeyInfo in the host's own certificate, in base64 (RFC 7469 §2.4):
///
///     openssl x509 -in host.pem -pubkey -noout | openssl pkey -pubin -outform der |
///         openssl dgst -sha256 -binary | base64
///
/// Every set needs a backup key that is not in use yet. Otherwise the loss or leak of the key locks the app out.
public struct PublicKeyPins: Sendable, Hashable {
    /// The hosts that the pins apply to.
    package let hosts: HostPattern
    /// The SHA-256 digests of the keys.
    package let digests: [[UInt8]]

    /// Creates pins for a host, or with a leading dot for a domain.
    ///
    /// - Parameters:
    ///   - host: The host pattern.
    ///   - pin: The current key, in padded base64, with or without the prefix `sha256/`.
    ///   - backup: A different key, stored in another place.
    ///   - more: Further keys.
    /// - Throws: `HTTPError.invalidTLSPolicy`.
    public init(for host: String, _ pin: String, backup: String, _ more: String...) throws(HTTPError) {
        hosts = try HostPattern(host)
        var digests: [[UInt8]] = []
        for text in [pin, backup] + more {
            let digest = try Self.digest(text)
            // With a duplicate, a set without a backup would look like one with a backup.
            guard !digests.contains(digest) else { throw .invalidTLSPolicy("a pin for \(host) occurs twice") }
            digests.append(digest)
        }
        self.digests = digests
    }

    /// Decodes a pin (RFC 7469 §2.4 and RFC 4648 §4): exactly 32 bytes, with padding.
    private static func digest(_ text: String) throws(HTTPError) -> [UInt8] {
        let base64 = text.utf8.dropFirst(text.utf8.starts(with: "sha256/".utf8) ? 7 : 0)
        guard base64.count == 44, base64.last == 0x3D,
            let digest = Base64Alphabet.standard.decode(base64.dropLast()), digest.count == 32
        else { throw .invalidTLSPolicy("a pin is not the base64 of 32 bytes") }
        return digest
    }
}
