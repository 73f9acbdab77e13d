// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Dispatch
import Foundation
import LatchCore
import Security

/// A store of named secrets in the keychain, as generic passwords of one service that stay on this device.
///
/// On macOS it is the data-protection keychain, as on iOS. Only programs with a keychain entitlement can use it:
/// without one, every call throws `AuthError.storeDenied`. The stores that the package creates itself then use an
/// encrypted file.
public struct KeychainSecretStore: SecretStore {
    /// The service; empty for items without one.
    private let service: String
    private let accessGroup: String?
    private let protection: KeychainProtection
    private let context: KeychainContext
    /// The queue of blocking calls, which may wait for the user.
    private let queue = DispatchQueue(label: "latch.keychain")

    /// Creates a store of the items of a service.
    ///
    /// - Parameters:
    ///   - service: The name of the program. Nil finds only items without a service, to migrate them.
    ///   - accessGroup: The access group that shares the items with other programs of the same team; nil to share them
    ///     with none.
    ///   - protection: The protection of the items.
    ///   - authentication: The authentication of the user, if the protection requires it.
    public init(
        service: String?, accessGroup: String? = nil, protection: KeychainProtection = .afterFirstUnlock,
        authentication: KeychainAuthentication = KeychainAuthentication()
    ) {
        // A query without a service would find the items of every service. An item without one has an empty service.
        self.service = service ?? ""
        self.accessGroup = accessGroup
        self.protection = protection
        context = KeychainContext(authentication)
    }

    /// Returns the secret with a name.
    ///
    /// - Throws: `AuthError.storeLocked` before the first unlock, or if the user is needed but may not be asked.
    ///   `AuthError.storeDenied` if the user declines.
    public func read(_ name: String) async throws -> [UInt8]? {
        try await queue.run { try TwoSlotItems(self).read(name) }
    }

    /// Stores a secret under a name without asking the user; a failure leaves the earlier secret.
    ///
    /// - Throws: `AuthError.storeUnavailable` if the protection requires a passcode and the device has none.
    public func write(_ secret: [UInt8], for name: String) async throws {
        try await queue.run {
            guard protection.requiresUser else { return try update(secret, for: name) }
            try context.requirePasscode()
            try TwoSlotItems(self).write(secret, for: name)
        }
    }

    /// Removes the secret with a name.
    public func remove(_ name: String) async throws {
        try await queue.run { try TwoSlotItems(self).remove(name) }
    }

    /// Returns the names of all secrets, sorted.
    public func names() async throws -> [String] {
        try await queue.run {
            let found = try copy([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll])
            guard let found else { return [] }
            guard let items = found as? [[CFString: Any]] else { throw AuthError.storeCorrupt }
            return TwoSlotItems<Self>.names(of: items.compactMap { $0[kSecAttrAccount] as? String })
        }
    }

    /// Throws `AuthError.storeDenied` if this program has no keychain entitlement; other failures leave that open.
    func requireEntitlement() async throws { try await queue.run { try requireWriteAccess() } }
}

extension KeychainSecretStore {
    /// Removes the items of an earlier installation of this app, at the first call in this installation.
    ///
    /// The keychain keeps the items of a deleted app, so a new installation finds its user signed in. To avoid that,
    /// call this function when the app starts, before it creates a session. A file in the app's container, which is
    /// deleted with the app, marks an installation. Extensions have separate containers and must not call it. Without
    /// an access group, it removes the items of this service in all groups of the app, including those shared with
    /// other apps.
    ///
    /// - Returns: Whether this was the first call of the installation.
    /// - Throws: `AuthError` with a `store…` code. Then nothing is removed, or the next call removes the items again.
    ///   Before the first unlock the mark cannot be read, which is `AuthError.storeDenied`.
    @available(tvOS, unavailable, message: "Apple TV has no folder that lasts as long as the installation.")
    @discardableResult
    public func removeItemsOfEarlierInstallation() async throws -> Bool {
        try await queue.run {
            let folder = secretsFolder(in: ProcessInfo.processInfo.environment)
            let mark = AtomicFile("\(folder)/\(fileName(for: service)).installed")
            do {
                guard try mark.read() == nil else { return false }
                try deleteItems([:])
                try mark.makeFolder()
                return try mark.create()
            } catch {
                throw AuthError.fromStore(error)
            }
        }
    }
}

extension KeychainSecretStore: KeychainItems {
    func hasItem(_ name: String) throws -> Bool {
        let terms: [CFString: Any] = [kSecAttrAccount: name]
        let status = SecItemCopyMatching(query(terms.merging(context.silentTerms()) { $1 }) as CFDictionary, nil)
        // If an item needs the user, it exists.
        if status == errSecSuccess || status == KeychainStatus.interactionNotAllowed { return true }
        guard status == KeychainStatus.itemNotFound else { throw KeychainStatus.error(for: status) }
        return false
    }

    func secret(of name: String) throws -> [UInt8]? {
        var terms: [CFString: Any] = [kSecAttrAccount: name, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]
        if protection.requiresUser { terms.merge(context.terms()) { $1 } }
        guard let found = try copy(terms) else { return nil }
        guard let data = found as? Data else { throw AuthError.storeCorrupt }
        return Array(data)
    }

    func add(_ secret: [UInt8], as name: String) throws {
        let status = SecItemAdd(query(try values(secret, for: name)) as CFDictionary, nil)
        guard status == errSecSuccess else { throw KeychainStatus.error(for: status) }
    }

    func delete(_ name: String) throws { try deleteItems([kSecAttrAccount: name]) }

    /// Replaces an item in place, or adds it.
    private func update(_ secret: [UInt8], for name: String) throws {
        let item = query([kSecAttrAccount: name]) as CFDictionary
        let values = try values(secret, for: name)
        var status = SecItemUpdate(item, values as CFDictionary)
        if status == KeychainStatus.itemNotFound {
            status = SecItemAdd(query(values) as CFDictionary, nil)
            // Another process has added it in the meantime.
            if status == KeychainStatus.duplicateItem { status = SecItemUpdate(item, values as CFDictionary) }
        }
        guard status == errSecSuccess else { throw KeychainStatus.error(for: status) }
    }

    private func values(_ secret: [UInt8], for name: String) throws -> [CFString: Any] {
        let item: [CFString: Any] = [kSecAttrAccount: name, kSecValueData: Data(secret)]
        return try protection.attributes().merging(item) { $1 }
    }

    private func deleteItems(_ terms: [CFString: Any]) throws {
        let status = SecItemDelete(query(terms) as CFDictionary)
        guard status == errSecSuccess || status == KeychainStatus.itemNotFound else {
            throw KeychainStatus.error(for: status)
        }
    }

    /// Throws if this program has no keychain entitlement.
    ///
    /// Without an entitlement, a search finds nothing, as in an empty keychain, and only a change is refused (Apple's
    /// KeychainEntitlementsTest). Therefore this function deletes an item that does not exist.
    private func requireWriteAccess() throws {
        let status = SecItemDelete(query([kSecAttrAccount: "latch.entitlement.probe"]) as CFDictionary)
        if status == KeychainStatus.missingEntitlement { throw KeychainStatus.error(for: status) }
    }

    /// Searches the keychain; returns nil only if it reports that the item does not exist.
    private func copy(_ terms: [CFString: Any]) throws -> CFTypeRef? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(terms) as CFDictionary, &result)
        if status == KeychainStatus.itemNotFound {
            try requireWriteAccess()
            return nil
        }
        guard status == errSecSuccess else { throw KeychainStatus.error(for: status) }
        return result
    }

    private func query(_ terms: [CFString: Any]) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecUseDataProtectionKeychain: true, kSecAttrService: service,
        ]
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query.merging(terms) { $1 }
    }
}
#endif
