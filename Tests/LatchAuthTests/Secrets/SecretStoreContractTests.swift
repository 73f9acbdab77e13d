// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchTesting
import TestTags
import Testing

@Suite struct SecretStoreTests {
    @Test(.tags(.tokenStores), arguments: TestedStore.allCases, SecretStoreContract.rules)
    func `A secret store of each kind keeps the contract`(kind: TestedStore, rule: SecretStoreContract.Rule)
        async throws
    {
        try await withTemporaryFolder { try await rule.check(kind.place(in: $0)) }
    }
}

@Suite struct SecretStoreContractTests {
    /// A store with one defect, which some rule must notice.
    final class DefectiveStore: SecretStore {
        let kept = InMemorySecretStore()
        let defect: String

        init(_ defect: String) { self.defect = defect }

        func read(_ name: String) async throws -> [UInt8]? {
            switch defect {
            case "cuts": kept.read(name).map { Array($0.prefix(99_999)) }
            case "empty is nil": kept.read(name).flatMap { $0.isEmpty ? nil : $0 }
            case "folds case": kept.read(name.lowercased())
            case "nil is empty": kept.read(name) ?? []
            default: kept.read(name)
            }
        }

        func write(_ secret: [UInt8], for name: String) async throws {
            switch defect {
            case "folds case": kept.write(secret, for: name.lowercased())
            case "keeps the first" where kept.read(name) != nil: break
            case "forgets others" where kept.names().count > 2: for other in kept.names() { kept.remove(other) }
            default: kept.write(secret, for: name)
            }
        }

        func remove(_ name: String) async throws {
            switch defect {
            case "removes all": for other in kept.names() { kept.remove(other) }
            case "removes nothing": break
            case "fails at nothing" where kept.read(name) == nil: throw AuthError.storeUnavailable
            default: kept.remove(name)
            }
        }

        func names() async throws -> [String] { defect == "unsorted" ? kept.names().reversed() : kept.names() }
    }

    @Test(arguments: [
        "cuts", "empty is nil", "nil is empty", "folds case", "keeps the first", "forgets others", "removes all",
        "removes nothing", "fails at nothing", "unsorted",
    ])
    func `The contract of secret stores is broken by every defective store`(defect: String) async {
        var isNoticed = false
        for rule in SecretStoreContract.rules {
            let store = DefectiveStore(defect)
            do { try await rule.check { store } } catch { isNoticed = true }
        }
        #expect(isNoticed)
    }
}
