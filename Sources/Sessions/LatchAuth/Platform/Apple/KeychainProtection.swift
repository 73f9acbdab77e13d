// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation
import Security

/// The protection of a keychain item.
///
/// All items stay on this device.
public enum KeychainProtection: Sendable, Hashable {
    /// Readable after the first unlock since the device started, so that a refresh in the background works.
    case afterFirstUnlock
    /// Readable while the device is unlocked.
    case whenUnlocked
    /// Readable with the user's face, finger or passcode; see ``KeychainAuthentication``.
    ///
    /// The system deletes the items when the user removes the passcode, which signs a session out.
    case presence
    /// Readable with a face or finger that was enrolled when the item was created.
    case biometry

    /// Whether a read needs the user.
    var requiresUser: Bool { self == .presence || self == .biometry }

    /// The attributes of an item.
    ///
    /// - Throws: `AuthError.storeUnavailable` if the system does not know the protection.
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
            throw AuthError.store(.storeUnavailable, "this system cannot verify the user's presence")
        }
        return control
    }
}
#endif
