// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation
import Security

/// When an item of the keychain may be read.
///
/// All items stay on this device.
public enum KeychainProtection: Sendable, Hashable {
    /// After the first unlock since the start, so that a renewal in the background works.
    case afterFirstUnlock
    /// While the device is unlocked.
    case whenUnlocked
    /// When the person proves to be there, by face, finger or passcode; each reading asks.
    case presence
    /// When the person proves to be there by a face or finger that was enrolled when the item was made.
    case biometry

    /// The attributes of an item.
    ///
    /// - Throws: `AuthError.storeUnavailable` where the device has no passcode.
    func attributes() throws -> [CFString: Any] {
        switch self {
        case .afterFirstUnlock: [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
        case .whenUnlocked: [kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]
        case .presence: [kSecAttrAccessControl: try Self.control(.userPresence)]
        case .biometry: [kSecAttrAccessControl: try Self.control(.biometryCurrentSet)]
        }
    }

    private static func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        let accessibility = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        guard let control = SecAccessControlCreateWithFlags(nil, accessibility, flags, nil) else {
            throw AuthError.store(.storeUnavailable, "this device cannot ask for the person's presence")
        }
        return control
    }
}
#endif
