// SPDX-License-Identifier: Apache-2.0

/// The result codes of Apple's keychain (SecBase.h), mapped to errors.
///
/// It is separate from the keychain, so that the table can be tested on other platforms.
package enum KeychainStatus {
    /// The item does not exist.
    ///
    /// This is the only code that means an empty store.
    static let itemNotFound: Int32 = -25_300
    /// The item exists already.
    static let duplicateItem: Int32 = -25_299

    /// The item needs the user or an unlocked device, and the call must not wait for either.
    static let interactionNotAllowed: Int32 = -25_308
    /// The program is signed without a keychain entitlement, as `swift build` does on macOS.
    static let missingEntitlement: Int32 = -34_018

    /// Returns the error for a code that is neither success nor `itemNotFound`.
    package static func error(for status: Int32) -> AuthError {
        if status == missingEntitlement { return missingEntitlementError }
        let kind: AuthError =
            switch status {
            // Before the first unlock, or in the background.
            case interactionNotAllowed: .storeLocked
            // Authentication failed; canceled by the user; permission denied; read-only.
            case -25_293, -128, -61, -25_292: .storeDenied
            // Unable to decode; data too old or damaged.
            case -26_275, -26_276, -67_608: .storeCorrupt
            // Disk full; failed to allocate.
            case -34, -108: .storeFull
            default: .storeUnavailable
            }
        return .store(kind, "keychain status \(status)")
    }

    /// Returns the error for an item that a device without a passcode cannot hold.
    package static var passcodeMissing: AuthError {
        AuthError.storeUnavailable.saying(
            "The keychain cannot hold the secret: this device has no passcode, which the protection requires.",
            hint: "Have the user set a passcode, or choose the protection whenUnlocked.")
    }

    private static var missingEntitlementError: AuthError {
        AuthError.storeDenied.saying(
            "The keychain refused access (keychain status \(missingEntitlement)): this program has no keychain entitlement.",
            hint: "Sign it with the capability Keychain Sharing, or keep the secrets in an EncryptedFileSecretStore.")
    }
}
