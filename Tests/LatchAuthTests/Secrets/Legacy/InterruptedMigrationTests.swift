// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchTesting
import Testing

@Suite struct InterruptedMigrationTests {
    private let account = Tokens(access: "a", refresh: "r", scope: "s", userID: "u")

    private func oldSecrets() -> InMemorySecretStore {
        let secrets = InMemorySecretStore()
        for (name, text) in [
            "lazi.access_token": "a", "lazi.refresh_token": "r", "lazi.granted_scopes": "s", "lazi.user_id": "u",
        ] {
            secrets.write(Array(text.utf8), for: name)
        }
        return secrets
    }

    @Test(arguments: 0..<30)
    func `A migration that is interrupted at any step loses nothing, and can be repeated`(step: Int) async throws {
        let secrets = oldSecrets()
        let failing = FailingSecretStore(secrets, after: step, with: .storeUnavailable)
        do {
            try await LegacyMigration(.lazi, in: failing).run(into: SecretTokenStore<Tokens>(failing, name: "new"))
        } catch {
            expectEqual(error as? AuthError, .storeUnavailable)
        }
        let store = SecretTokenStore<Tokens>(secrets, name: "new")
        try await LegacyMigration(.lazi, in: secrets).run(into: store)
        try await expectEqual(store.load(), account)
        expectEqual(secrets.names(), ["new"])
    }

    @Test(arguments: [AuthError.storeLocked, .storeDenied, .storeUnavailable, .storeFull])
    func `A migration that a failing store interrupts says so, and is never "no account"`(error: AuthError) async throws
    {
        let secrets = oldSecrets()
        let before = secrets.names()
        let failing = FailingSecretStore(secrets, after: 0, with: error)
        let store = SecretTokenStore<Tokens>(secrets, name: "new")
        await #expect(throws: error) { try await LegacyMigration(.lazi, in: failing).account() }
        await #expect(throws: error) { try await LegacyMigration(.lazi, in: failing).run(into: store) }
        expectEqual(secrets.names(), before)
    }

    @Test func `A migration that another process makes too happens once`() async throws {
        try await withTemporaryFolder { folder in
            let secrets = oldSecrets()
            let outcomes = try await withThrowingTaskGroup(of: LegacyMigration.Outcome.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let store = SecretTokenStore<Tokens>(
                            secrets, name: "new", coordination: FileCoordination(path: "\(folder)/new"))
                        return try await LegacyMigration(.lazi, in: secrets).run(into: store)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            expectEqual(outcomes.count { if case .migrated = $0 { true } else { false } }, 1)
            expectEqual(outcomes.count { $0 == .nothing }, 7)
        }
    }
}
