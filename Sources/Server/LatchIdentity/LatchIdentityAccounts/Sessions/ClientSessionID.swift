// SPDX-License-Identifier: Apache-2.0

package import LatchCrypto
import LatchIdentityStorage
import LatchJOSE

/// The `sid` of ID tokens and logout tokens (OpenID Connect Back-Channel Logout §2.1).
///
/// It is one for all sessions of a client in the session of one browser, so that the client finds what to end. Two
/// clients have different ones, so that they cannot find out by it that they have the same user.
package struct ClientSessionID {
    private let key: SymmetricKey

    package init(pepper: SymmetricKey) { key = pepper.derived(for: "latch sid") }

    /// Returns the ID of a device's session.
    func text(of device: Device, for clientID: String) -> String {
        text(browser: device.browserDevice, device: device.id, for: clientID)
    }

    /// Returns the ID of a session in a browser, or without one that of a device, as in access tokens.
    package func text(browser: [UInt8]?, device: [UInt8], for clientID: String) -> String {
        guard let browser else { return Base64URL.encode(device) }
        let code = HMAC<SHA256>.authenticationCode(for: browser + Array(clientID.utf8), using: key)
        return Base64URL.encode(Array(Array(code).prefix(16)))
    }
}
