// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import LatchJOSE

/// A refresh token: device id, generation, and a MAC over both.
///
/// `lr1.` and base64url of 16 bytes of device id, 4 bytes of generation and 32 bytes of HMAC-SHA-256. No token
/// is stored: the MAC's key is derived from a secret of the device's row and the server's pepper, so that the same
/// generation always has the same text.
struct RefreshToken: Sendable, Hashable {
    let deviceID: [UInt8]
    let counter: UInt32
    /// The HMAC-SHA-256 over device and generation.
    private let code: [UInt8]

    /// The prefix by which secret scanners detect a leaked token; the digit is the version of the format.
    private static let prefix = "lr1."

    /// Parses a token without verifying its MAC; nil if it is malformed.
    init?(_ text: String) {
        guard text.utf8.count == 4 + 70, text.utf8.starts(with: Self.prefix.utf8),
            let bytes = try? Base64URL.decode(text.dropFirst(4)), bytes.count == 16 + 4 + 32
        else { return nil }
        deviceID = Array(bytes[..<16])
        counter = bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        code = Array(bytes[20...])
    }

    /// Creates the token of one generation of a device.
    init(of device: Device, counter: UInt32, pepper: SymmetricKey) {
        deviceID = device.id
        self.counter = counter
        code = Self.code(device, counter, pepper)
    }

    /// The text of the token.
    var text: String { Self.prefix + Base64URL.encode(deviceID + Self.bytes(counter) + code) }

    /// Returns whether this server issued the token for this device, in constant time.
    func isAuthentic(for device: Device, pepper: SymmetricKey) -> Bool {
        deviceID == device.id && constantTimeEquals(code, Self.code(device, counter, pepper))
    }

    /// Returns the MAC, with a key that HKDF (RFC 5869) derives from the server's pepper and the device's secret.
    ///
    /// A copy of the store alone cannot forge a token if the pepper is configured outside it.
    private static func code(_ device: Device, _ counter: UInt32, _ pepper: SymmetricKey) -> [UInt8] {
        let key = pepper.derived(for: "latch refresh token", salt: device.secret)
        return Array(HMAC<SHA256>.authenticationCode(for: device.id + bytes(counter), using: key))
    }

    /// Returns the generation in network byte order.
    private static func bytes(_ counter: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
    }
}

extension RefreshToken: Redacted {}
