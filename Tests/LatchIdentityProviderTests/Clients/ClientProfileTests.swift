// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchJOSE
import Testing

@testable import LatchIdentity

/// The members of a client that a profile implies (FAPI 2.0).
@Suite struct ClientProfileTests {
    private func client(
        _ profile: OAuthClient.SecurityProfile, _ method: OAuthClient.AuthenticationMethod,
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) throws -> OAuthClients {
        var configuration = IdentityConfiguration()
        change(&configuration)
        configuration.clients = [
            OAuthClient(
                id: "bank", isConfidential: true, grants: [.authorizationCode],
                redirectURIs: ["https://bank.example/back"], authenticationMethod: method,
                jwks: KeySet([try Key.generate(.es256)]).jwks(), securityProfile: profile)
        ]
        return try OAuthClients(configuration)
    }

    @Test(arguments: OAuthClient.SecurityProfile.allCases)
    func `A profile requires pushed requests, challenges and proofs, and permits no RS256`(
        profile: OAuthClient.SecurityProfile
    ) async throws {
        let bank = try #require(try await client(profile, .privateKeyJWT).client("bank"))
        #expect(bank.requiresPushedRequests && bank.requiresPKCE && bank.requiresProofs)
        expectEqual(bank.requiresRequestObjects, profile == .fapi2MessageSigning)
        #expect(bank.assertionAlgorithms == [.ps256, .es256, .eddsa] && bank.idTokenAlgorithm == .es256)
        expectEqual(bank.requestObjectAlgorithms, bank.assertionAlgorithms)
        #expect(bank.signerOfResponses == .es256 && bank.introspectionAlgorithm == .es256)
        #expect(throws: IdentityError.self) { try client(profile, .secretBasic) }
        #expect(throws: IdentityError.unusableSetting("access_token_algorithm", "")) {
            try client(profile, .privateKeyJWT) { $0.accessTokenAlgorithm = .rs256 }
        }
    }

    @Test func `A profile is read and written as the word of a client`() {
        let word = "bank;confidential;security_profile=fapi2"
        expectEqual(OAuthClient(word: word)?.securityProfile, .fapi2)
        expectEqual(OAuthClient(word: word)?.word.contains("security_profile=fapi2"), true)
        expectNil(OAuthClient(word: "bank;security_profile=fapi1"))
    }
}
