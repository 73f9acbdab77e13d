// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation
import Security

/// Named bytes in the keychain, as generic passwords of one service.
///
/// Items stay on this device and are readable after its first unlock, so that a renewal in the background works.
public struct KeychainSecretStore: SecretStore {
    private let service: String
    private let accessGroup: String?

    /// The items of a service.
    ///
    /// - Parameter accessGroup: Shares them with other programs of the same team; nil keeps them to this one.
    public init(service: String, accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    /// The bytes kept under `name`.
    public func read(_ name: String) throws -> [UInt8]? {
        var query = query(for: name)
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == KeychainStatus.itemNotFound { return nil }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(for: status) }
        guard let data = result as? Data else { throw AuthError.storeCorrupt }
        return Array(data)
    }

    /// Keeps `secret` under `name`: an update in place, so that a failure leaves the earlier bytes.
    public func write(_ secret: [UInt8], for name: String) throws {
        let values: [CFString: Any] = [
            kSecValueData: Data(secret),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        let updated = SecItemUpdate(query(for: name) as CFDictionary, values as CFDictionary)
        if updated == KeychainStatus.success { return }
        guard updated == KeychainStatus.itemNotFound else { throw KeychainStatus.error(for: updated) }
        let item = query(for: name).merging(values) { _, new in new }
        let added = SecItemAdd(item as CFDictionary, nil)
        // Another process may have added it in between.
        if added == KeychainStatus.duplicateItem { return try write(secret, for: name) }
        guard added == KeychainStatus.success else { throw KeychainStatus.error(for: added) }
    }

    /// Forgets what is kept under `name`.
    public func remove(_ name: String) throws {
        let status = SecItemDelete(query(for: name) as CFDictionary)
        guard status == KeychainStatus.success || status == KeychainStatus.itemNotFound else {
            throw KeychainStatus.error(for: status)
        }
    }

    /// The names under which something is kept, sorted.
    public func names() throws -> [String] {
        var query = query(for: nil)
        query[kSecReturnAttributes] = true
        query[kSecMatchLimit] = kSecMatchLimitAll
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == KeychainStatus.itemNotFound { return [] }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(for: status) }
        guard let items = result as? [[CFString: Any]] else { throw AuthError.storeCorrupt }
        return items.compactMap { $0[kSecAttrAccount] as? String }.sorted()
    }

    private func query(for name: String?) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecUseDataProtectionKeychain: true,
        ]
        if let name { query[kSecAttrAccount] = name }
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query
    }
}

/// The place where this platform keeps the secrets of a service.
package func platformSecretStore(service: String) -> any SecretStore { KeychainSecretStore(service: service) }
#endif
