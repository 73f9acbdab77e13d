// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

/// The one record in which a list of accounts is kept, and how it is read and written.
struct AccountListRecord: Sendable {
    /// What the record holds, as JSON.
    private struct Text: Codable {
        var version = 1
        var current: String?
        var accounts: [AccountEntry]
    }

    /// The only version that there is; a later one is not ours to overwrite.
    private static let version = 1

    let secrets: any SecretStore
    /// The name of the secret.
    let name: String

    /// The list as it is kept; empty where none is.
    ///
    /// - Throws: `AuthError.storeCorrupt` where it is no list, `storeUnavailable` where a later version wrote it.
    func load() async throws -> AccountList.Content {
        guard let bytes = try await secrets.read(name) else { return AccountList.Content() }
        let text: Text
        do {
            text = try JSONDecoder().decode(Text.self, from: Data(bytes))
        } catch {
            throw AuthError.store(.storeCorrupt, "the record '\(name)' is no list of accounts")
        }
        guard text.version == Self.version else {
            throw AuthError.store(.storeUnavailable, "the record '\(name)' has version \(text.version)")
        }
        var content = AccountList.Content()
        // An identifier names a record of tokens: two accounts with one would share them.
        for entry in text.accounts where content[entry.id] == nil { content.entries.append(entry) }
        content.currentID = text.current.flatMap { content[$0]?.id }
        return content
    }

    /// Replaces the list as a whole.
    func save(_ content: AccountList.Content) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = Text(current: content.currentID, accounts: content.entries)
        try await secrets.write(Array(encoder.encode(text)), for: name)
    }

    /// Keeps a damaged list under another name, so that a new one can be begun.
    ///
    /// Where the store itself is damaged it does the same with its file at the next write.
    func setAside() async throws {
        let bytes: [UInt8]?
        do { bytes = try await secrets.read(name) } catch AuthError.storeCorrupt { return }
        if let bytes { _ = try await secrets.setAside(bytes, of: name) }
    }
}
