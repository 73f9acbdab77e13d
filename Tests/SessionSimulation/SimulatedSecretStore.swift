// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation

/// The record of a simulated disk as the item of a secret store, so that `SecretTokenStore` encodes, decodes and sets aside.
struct SimulatedSecretStore: SecretStore {
    /// The name of the record.
    static let name = "account"

    /// The store below, with its faults.
    let store: SimulatedStore

    func read(_ name: String) async throws -> [UInt8]? {
        guard name == Self.name else { return store.disk.otherItem(name) }
        switch try await store.look() {
        case .nothing: return nil
        case .damaged: return store.disk.item.map { Array($0.prefix($0.count / 2)) }
        case .content:
            store.onLook(store.process)
            return store.disk.item
        }
    }

    func write(_ secret: [UInt8], for name: String) async throws {
        guard name == Self.name else { return store.disk.setOtherItem(secret, for: name) }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let record = try decoder.decode(TokenRecord<Tokens>.self, from: Data(secret))
        try await store.save(record: record, as: secret)
    }

    func remove(_ name: String) async throws {
        guard name == Self.name else { return store.disk.setOtherItem(nil, for: name) }
        try await store.clear()
    }

    func names() async throws -> [String] { [Self.name] }

    /// Returns the item of a record, as an earlier process wrote it; an empty one is damaged.
    static func item(of record: TokenRecord<Tokens>) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        do { return Array(try encoder.encode(record)) } catch { return [] }
    }
}
