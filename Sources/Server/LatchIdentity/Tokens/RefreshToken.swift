// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import LatchJOSE

/// A refresh token: which device, which generation of it, and a MAC over both.
///
/// `lr1.` and base64url of 16 bytes of device id, 4 bytes of generation and 32 bytes of HMAC-SHA-256. Nothing of it is
/// stored: the MAC's key comes from a secret of the device's row and the server's pepper, so that the same generation
/// always has the same text.
struct RefreshToken: Sendable, Hashable {
    let deviceID: [UInt8]
    let counter: UInt32
    /// HMAC-SHA-256 over device and generation.
    private let code: [UInt8]

    /// By it secret scanners can know a token that got into a repository; the digit is the format's version.
    private static let prefix = "lr1."
    private static let byteCount = 16 + 4 + 32

    /// Reads a token's text; nil when it cannot be one of ours.
    ///
    /// Whether it is authentic is another question.
    init?(_ text: String) {
        guard text.utf8.count == 4 + 70, text.hasPrefix(Self.prefix),
            case .success(let bytes) = Result(catching: { () throws(JOSEError) in
                try Base64URL.decode(text.dropFirst(4))
            }),
            bytes.count == Self.byteCount
        else { return nil }
        deviceID = Array(bytes[..<16])
        counter = bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        code = Array(bytes[20...])
    }

    /// The token of one generation of a device.
    init(of device: Device, counter: UInt32, pepper: SymmetricKey) {
        deviceID = device.id
        self.counter = counter
        code = Self.code(device, counter, pepper)
    }

    /// The token as the client keeps it.
    var text: String { Self.prefix + Base64URL.encode(deviceID + Self.bytes(counter) + code) }

    /// Whether this server made the token for this device.
    ///
    /// Compares in constant time: the MAC is what an attacker would guess byte by byte.
    func isAuthentic(for device: Device, pepper: SymmetricKey) -> Bool {
        deviceID == device.id && constantTimeEquals(code, Self.code(device, counter, pepper))
    }

    /// HKDF (RFC 5869) makes a key for this device from the server's pepper and the row's secret: a copy of the store
    /// alone makes no token where the pepper has a part outside, and one device's secret says nothing about another's.
    private static func code(_ device: Device, _ counter: UInt32, _ pepper: SymmetricKey) -> [UInt8] {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: pepper, salt: device.secret, info: Array("latch refresh token".utf8), outputByteCount: 32)
        return Array(HMAC<SHA256>.authenticationCode(for: device.id + bytes(counter), using: key))
    }

    /// The generation in network byte order.
    private static func bytes(_ counter: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
    }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    var description: String { "RefreshToken(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
