// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Dispatch
import Foundation
import Security

/// A store of named secrets in the keychain, as generic passwords of one service, on this device only.
public struct KeychainSecretStore: SecretStore {
    /// The service; nil for items without one.
    private let service: String?
    private let accessGroup: String?
    private let protection: KeychainProtection
    /// The queue of blocking calls, which may wait for the user.
    private let queue = DispatchQueue(label: "latch.keychain")

    /// Creates a store of the items of a service.
    ///
    /// - Parameters:
    ///   - service: Names the program; nil finds items without a service, to migrate them.
    ///   - accessGroup: Shares them with other programs of the same team; nil keeps them to this one.
    ///   - protection: The protection of the items.
    public init(service: String?, accessGroup: String? = nil, protection: KeychainProtection = .afterFirstUnlock) {
        self.service = service
        self.accessGroup = accessGroup
        self.protection = protection
    }

    /// Returns the secret with a name.
    public func read(_ name: String) async throws -> [UInt8]? {
        try await queue.run {
            let found = try copy([kSecAttrAccount: name, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne])
            guard let found else { return nil }
            guard let data = found as? Data else { throw AuthError.storeCorrupt }
            return Array(data)
        }
    }

    /// Stores a secret under a name: an update in place, so that a failure leaves the earlier one.
    public func write(_ secret: [UInt8], for name: String) async throws {
        try await queue.run {
            let values = try protection.attributes().merging([kSecValueData: Data(secret)]) { _, new in new }
            let item = query([kSecAttrAccount: name])
            var status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
            if status == KeychainStatus.itemNotFound {
                status = SecItemAdd(item.merging(values) { _, new in new } as CFDictionary, nil)
            }
            // Another process has added it in between.
            if status == KeychainStatus.duplicateItem {
                status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
            }
            guard status == errSecSuccess else { throw KeychainStatus.error(for: status) }
        }
    }

    /// Removes the secret with a name.
    public func remove(_ name: String) async throws {
        try await queue.run {
            let status = SecItemDelete(query([kSecAttrAccount: name]) as CFDictionary)
            guard status == errSecSuccess || status == KeychainStatus.itemNotFound else {
                throw KeychainStatus.error(for: status)
            }
        }
    }

    /// Returns the names of all secrets, sorted.
    public func names() async throws -> [String] {
        try await queue.run {
            let found = try copy([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll])
            guard let found else { return [] }
            guard let items = found as? [[CFString: Any]] else { throw AuthError.storeCorrupt }
            return items.compactMap { $0[kSecAttrAccount] as? String }.sorted()
        }
    }

    /// Searches the keychain; returns nil only if it reports that there is no such item.
    private func copy(_ terms: [CFString: Any]) throws -> CFTypeRef? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(terms) as CFDictionary, &result)
        if status == KeychainStatus.itemNotFound { return nil }
        guard status == errSecSuccess else { throw KeychainStatus.error(for: status) }
        return result
    }

    private func query(_ terms: [CFString: Any]) -> [CFString: Any] {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecUseDataProtectionKeychain: true]
        if let service { query[kSecAttrService] = service }
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query.merging(terms) { _, new in new }
    }
}
#endif
