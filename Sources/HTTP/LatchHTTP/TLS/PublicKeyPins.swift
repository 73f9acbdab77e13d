// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The public keys that a host may show, beside being vouched for by an authority.
///
/// ```swift
/// let pins = try PublicKeyPins(
///     for: "api.example.com", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
///     backup: "sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=")
/// ```
///
/// A pin is the SHA-256 of a certificate's SubjectPublicKeyInfo in base64 (RFC 7469 §2.4), of the host's own
/// certificate:
///
///     openssl x509 -in host.pem -pubkey -noout | openssl pkey -pubin -outform der |
///         openssl dgst -sha256 -binary | base64
///
/// A key that nobody uses yet is part of every set: without it, the day on which the key is lost or leaked is the day on
/// which the app is locked out.
public struct PublicKeyPins: Sendable, Hashable {
    /// The hosts that may show no other key.
    public let hosts: HostPattern
    /// The digests, of 32 bytes each.
    package let digests: [[UInt8]]

    /// Pins for a host, or with a dot in front for a domain.
    ///
    /// - Parameters:
    ///   - host: See `HostPattern`.
    ///   - pin: The key in use, in base64 with its padding, with or without `sha256/` in front.
    ///   - backup: A key that is kept elsewhere; another one.
    ///   - more: Further keys.
    /// - Throws: `HTTPError.invalidTLSPolicy`.
    public init(for host: String, _ pin: String, backup: String, _ more: String...) throws(HTTPError) {
        hosts = try HostPattern(host)
        var digests: [[UInt8]] = []
        for text in [pin, backup] + more {
            let digest = try Self.digest(text)
            // Twice the same would be a set without a backup that looks like one with.
            guard !digests.contains(digest) else { throw .invalidTLSPolicy("a pin for \(host) stands there twice") }
            digests.append(digest)
        }
        self.digests = digests
    }

    /// RFC 7469 §2.4 and RFC 4648 §4: exactly 32 bytes, with padding.
    private static func digest(_ text: String) throws(HTTPError) -> [UInt8] {
        let base64 = text.hasPrefix("sha256/") ? text.dropFirst(7) : text[...]
        guard base64.utf8.count == 44, base64.utf8.last == 0x3D,
            let digest = Base64Alphabet.standard.decode(base64.utf8.dropLast()), digest.count == 32
        else { throw .invalidTLSPolicy("a pin is not the base64 of 32 bytes") }
        return digest
    }
}
