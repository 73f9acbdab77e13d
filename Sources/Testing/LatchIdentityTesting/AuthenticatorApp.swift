// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
import LatchIdentity

/// An authenticator app, which shows the codes of a second factor (RFC 6238).
public struct AuthenticatorApp: Sendable {
    private let secret: [UInt8]

    /// Creates an app for a secret in base 32, as users type it; nil if it is invalid.
    public init?(secret: String) {
        guard let bytes = Base32.decode(secret), !bytes.isEmpty else { return nil }
        self.secret = bytes
    }

    /// Creates an app for the URL of a QR code, which begins with `otpauth://`; nil if it has no secret.
    public init?(url: URL) {
        let pairs = (url.query() ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        guard url.scheme == "otpauth", let secret = pairs.first(where: { $0.first == "secret" })?.last else {
            return nil
        }
        self.init(secret: String(secret))
    }

    /// Returns the six digits that the app shows.
    public func code(at date: Date) -> String { TOTP.code(secret, at: TOTP.step(of: date)) }
}
