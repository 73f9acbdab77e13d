// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization
import Testing

@testable import LatchIdentity

/// The newest code that a server has sent to a phone.
private final class Phone: Sendable {
    private let newest = Mutex("")

    var code: String { newest.withLock { $0 } }

    var hooks: IdentityHooks {
        var hooks = IdentityHooks()
        hooks.text = { message in self.newest.withLock { $0 = message.code } }
        return hooks
    }
}

@Suite struct PhoneNumberTests {
    @Test(arguments: RealBackend.Connection.allCases)
    func `A user verifies a phone number and removes it`(way: RealBackend.Connection) async throws {
        let phone = Phone()
        try await RealBackend.run(way, hooks: phone.hooks) { backend, _ in
            let client = try await backend.signedIn()
            let challenge = try await client.beginPhoneNumber("+49 30 123456")
            #expect(challenge.number == "+49 30 123456" && "\(challenge)" == "PhoneNumberChallenge(<redacted>)")
            try await expectNil(client.profile().phone)
            await #expect(throws: AccountError.wrongMailedCode) {
                try await client.completePhoneNumber(challenge, code: phone.code == "000000" ? "000001" : "000000")
            }
            let account = try await client.completePhoneNumber(challenge, code: phone.code)
            #expect(account.phone == "+4930123456" && account.isPhoneVerified == true)
            await #expect(throws: AccountError.mailedCodeExpired) {
                try await client.completePhoneNumber(challenge, code: phone.code)
            }
            try await client.removePhoneNumber()
            try await expectNil(client.profile().phone)
        }
    }

    @Test func `A number that the server does not accept is refused, and a server without messages has none`()
        async throws
    {
        try await RealBackend.run(hooks: Phone().hooks) { backend, _ in
            let client = try await backend.signedIn()
            await #expect(throws: AccountError.refused) { try await client.beginPhoneNumber("030 123456") }
        }
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            await #expect(throws: AccountError.notSupported) { try await client.beginPhoneNumber("+4930123456") }
        }
    }
}
