// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

/// The choice of a store as it is written down beside the secrets, for all processes of the person.
struct SecretStoreRecord: Codable, Sendable, Equatable {
    var kind: SecretStoreKind
    /// Why it was chosen then.
    var reason: String
    /// The store from which the secrets were moved and may not all be removed yet.
    var leaving: SecretStoreKind?

    /// The record in a file; nil where nothing is written down.
    ///
    /// - Throws: `storeCorrupt` where it cannot be understood: guessing would mean an empty store, and so a sign-out.
    static func read(_ file: AtomicFile) throws -> SecretStoreRecord? {
        guard let bytes = try file.read() else { return nil }
        do {
            return try JSONDecoder().decode(SecretStoreRecord.self, from: Data(bytes))
        } catch {
            throw AuthError(
                code: AuthError.storeCorrupt.code,
                message: "It cannot be told where the secrets are: \(file.path) is damaged.",
                hint: #"Write {"kind":"file","reason":"repaired"} there, or whichever store it was."#)
        }
    }

    /// Replaces the record, durably.
    func write(_ file: AtomicFile) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try file.replace(with: Array(try encoder.encode(self)) + [0x0A])
    }
}
