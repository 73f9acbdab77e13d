// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchTesting
import LaziOAuth
import TestTags
import Testing

@Suite struct KeychainWrapperTests {
    let secrets = InMemorySecretStore()

    @Test(.tags(.keychainRecord)) func `A keychain wrapper keeps, reads and forgets texts`() async throws {
        let keychain = KeychainWrapper(secrets)
        try await expectNil(keychain.get("note"))
        try await keychain.save("äöü", for: "note")
        try await expectEqual(keychain.get("note"), "äöü")
        try await keychain.save("2", for: "note")
        try await expectEqual(keychain.get("note"), "2")
        expectEqual(secrets.names(), ["lazi.note"])
        try await keychain.delete("note")
        try await keychain.delete("note")
        try await expectNil(keychain.get("note"))
    }

    @Test(.tags(.keychainRecord)) func `A keychain wrapper knows the names of the original`() async throws {
        let keychain = KeychainWrapper(secrets)
        try await keychain.save("u", for: "lazi.user_id")
        expectEqual(secrets.names(), ["lazi.user_id"])
        try await expectEqual(keychain.get("user_id"), "u")
    }

    @Test(.tags(.keychainRecord)) func `A keychain wrapper clears only its own entries`() async throws {
        secrets.write([1], for: "session")
        secrets.write([2], for: "someone.else")
        secrets.write([3], for: "lazilike")
        let keychain = KeychainWrapper(secrets)
        try await keychain.save("1", for: "access_token")
        try await keychain.save("2", for: "lazi.refresh_token")
        try await keychain.clearAll()
        expectEqual(secrets.names(), ["lazilike", "session", "someone.else"])
    }

    @Test(.tags(.keychainRecord), arguments: [AuthError.storeLocked, .storeDenied, .storeFull])
    func `A keychain wrapper reports each failure, and never as "nothing there"`(error: AuthError) async {
        let keychain = KeychainWrapper(FailingSecretStore(secrets, after: 0, with: error))
        await #expect(throws: error) { try await keychain.get("a") }
        await #expect(throws: error) { try await keychain.save("x", for: "a") }
        await #expect(throws: error) { try await keychain.delete("a") }
        await #expect(throws: error) { try await keychain.clearAll() }
    }

    @Test(.tags(.keychainRecord))
    func `A keychain wrapper does not keep the session: that is one record`() async throws {
        let backend = ScriptedBackend()
        let service = try await backend.signedIn(store: SecretTokenStore<Tokens>(secrets, name: "session"))
        expectEqual(secrets.names(), ["session"])
        try await KeychainWrapper(secrets).clearAll()
        await expectEqual(service.getValidToken(), "a0")
        let again = await backend.service(store: SecretTokenStore<Tokens>(secrets, name: "session"))
        await again.checkAuthState().value
        await expectEqual(again.currentUser?.userId, "usr_1")
    }
}
