// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchTesting
import LaziOAuth
import TestTags
import Testing

@MainActor
@Suite struct MigrationTests {
    let backend = ScriptedBackend()

    private func oldItems() -> InMemorySecretStore {
        let secrets = InMemorySecretStore()
        let expiry = backend.clock.now.addingTimeInterval(3600).timeIntervalSince1970
        for (name, text) in [
            "access_token": "a0", "refresh_token": "r0", "token_expiry": "\(expiry)", "user_id": "usr_1",
            "granted_scopes": "widgets:read files:admin",
        ] {
            secrets.write(Array(text.utf8), for: "lazi.\(name)")
        }
        return secrets
    }

    private func service(_ old: any SecretStore, _ new: InMemorySecretStore) -> OAuthService {
        OAuthService(
            baseURL: URL(string: "https://lazi.example.com") ?? URL(filePath: "/"),
            store: SecretTokenStore<Tokens>(new, name: "session"), migratingFrom: old, transport: backend,
            clock: backend.clock.wallClock())
    }

    @Test(.tags(.appLaunch))
    func `An account of the original's keychain is signed in after the update, with its user and its scopes`()
        async throws
    {
        let (old, new) = (oldItems(), InMemorySecretStore())
        let service = service(old, new)
        await expectEqual(service.getValidToken(), "a0")
        #expect(service.isAuthenticated)
        expectEqual(service.currentUser?.userId, "usr_1")
        #expect(service.grantedScopes.contains("files:delete"))
        #expect(old.names().isEmpty)
        expectEqual(new.names(), ["session"])
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.appLaunch))
    func `An account of the original's keychain gives way to an existing session`() async throws {
        let (old, new) = (oldItems(), InMemorySecretStore())
        try await SecretTokenStore<Tokens>(new, name: "session").save(Tokens(access: "newer", refresh: "r9"))
        let service = service(old, new)
        await expectEqual(service.getValidToken(), "newer")
        #expect(old.names().isEmpty)
    }

    @Test(.tags(.keychainRecord))
    func `An account of the original's keychain is kept if the keychain is locked, with a report`() async throws {
        let (old, new) = (oldItems(), InMemorySecretStore())
        let service = service(FailingSecretStore(old, after: 0, with: .storeLocked), new)
        await service.checkAuthState().value
        expectEqual(service.lastError as? AuthError, .storeLocked)
        #expect(!service.isAuthenticated)
        expectEqual(old.names().count, 5)
        let later = self.service(old, new)
        await later.checkAuthState().value
        #expect(later.isAuthenticated)
    }
}
