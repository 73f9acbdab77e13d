// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCrypto
package import LatchIdentityStorage
import LatchJOSE

/// A refresh token: device id, generation, and a MAC over both.
///
/// `lr1.` and base64url of 16 bytes of device id, 4 bytes of generation and 32 bytes of HMAC-SHA-256. Tokens are not
/// stored: ``RefreshTokenKey`` derives the same text for the same generation.
package struct RefreshToken: Sendable, Hashable {
    package let deviceID: [UInt8]
    package let counter: UInt32
    /// The HMAC-SHA-256 over device and generation.
    fileprivate let code: [UInt8]

    /// The prefix by which secret scanners detect a leaked token.
    ///
    /// The digit is the version of the format.
    private static let prefix = "lr1."

    /// Parses a token without verifying its MAC; nil if it is malformed.
    package init?(_ text: String) {
        guard text.utf8.count == 4 + 70, text.utf8.starts(with: Self.prefix.utf8),
            let bytes = try? Base64URL.decode(text.dropFirst(4)), bytes.count == 16 + 4 + 32
        else { return nil }
        deviceID = Array(bytes[..<16])
        counter = bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        code = Array(bytes[20...])
    }

    fileprivate init(deviceID: [UInt8], counter: UInt32, code: [UInt8]) {
        self.deviceID = deviceID
        self.counter = counter
        self.code = code
    }

    /// The text of the token.
    package var text: String { Self.prefix + Base64URL.encode(Self.message(deviceID, counter) + code) }

    /// Returns the authenticated bytes: the device and the generation in network byte order.
    fileprivate static func message(_ deviceID: [UInt8], _ counter: UInt32) -> [UInt8] {
        withUnsafeBytes(of: counter.bigEndian) { deviceID + $0 }
    }
}

extension RefreshToken: Redacting {}

/// The key of the refresh tokens of one device.
///
/// HKDF (RFC 5869) derives it from the server's pepper and a secret of the device's row, so that a generation always
/// has the same token. If the pepper is configured outside the store, a copy of the store is not enough to forge a
/// token.
package struct RefreshTokenKey: Sendable {
    private let deviceID: [UInt8]
    /// The prepared key, which can authenticate many tokens.
    private let authentication: HMAC<SHA256>

    /// Derives the key of a device.
    package init(of device: Device, pepper: SymmetricKey) {
        deviceID = device.id
        authentication = HMAC(key: pepper.derived(for: "latch refresh token", salt: device.secret))
    }

    /// Returns the token of one generation of the device.
    package func token(counter: UInt32) -> RefreshToken {
        RefreshToken(deviceID: deviceID, counter: counter, code: code(counter))
    }

    /// Returns whether this server issued the token for this device, compared in constant time.
    package func isAuthentic(_ token: RefreshToken) -> Bool {
        token.deviceID == deviceID && constantTimeEquals(token.code, code(token.counter))
    }

    private func code(_ counter: UInt32) -> [UInt8] {
        var authentication = authentication
        authentication.update(data: RefreshToken.message(deviceID, counter))
        return Array(authentication.finalize())
    }
}

extension RefreshTokenKey: Redacting {}
