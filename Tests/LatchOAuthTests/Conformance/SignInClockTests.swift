// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

@Suite struct SignInClockTests {
    // Report 5 in Documentation/PublicReports.md: the issuer's clock decides, as in a session.
    @Test(arguments: [-86_400.0, -3_600, -120, -40, 40, 310, 400, 3_600, 86_400])
    func `A sign-in under several clocks works for any time of this device's clock`(offset: Double) async throws {
        let provider = try ScriptedProvider()
        provider.respondsWithDate()
        let clock = provider.clock
        var configuration = provider.configuration
        configuration.redirectURI = ScriptedProvider.redirectURI
        let client = AuthorizationClient(
            configuration, transport: provider, clock: clock.wallClock(skew: offset))
        var request = AuthorizationRequest()
        request.maximumAge = .seconds(300)
        let response = try await client.finish(provider.approve(try await client.begin(request)))
        expectEqual(response.idTokenClaims?.subject, "ada")
        let granted = try await client.tokens(for: ClientCredentialsGrant(scopes: ["openid"]))
        expectEqual(granted.idTokenClaims?.subject, "ada")
        // A token that neither clock accepts.
        for change: Double in [200_000, -200_000] {
            provider.deviate { deviations in
                deviations.claims = { claims in
                    claims.issuedAt = clock.now.addingTimeInterval(change)
                    claims.expiry = clock.now.addingTimeInterval(change + 600)
                }
            }
            await #expect(throws: OAuthError.invalidIDToken) {
                try await client.finish(provider.approve(try await client.begin()))
            }
        }
    }

    @Test
    func `A sign-in under several clocks works though a server in front of the issuer has another clock`() async throws
    {
        let provider = try ScriptedProvider()
        provider.respondsWithDate(ahead: -3_600)
        let client = provider.client()
        let response = try await client.finish(provider.approve(try await client.begin()))
        expectEqual(response.idTokenClaims?.subject, "ada")
    }

    // The response is dated an hour ahead, by which the token has expired and every authentication is too old.
    @Test(arguments: [(60.0, true), (900, false)])
    func `A sign-in under several clocks judges an authentication's age by the clock that accepts the token`(
        age: Double, isAccepted: Bool
    )
        async throws
    {
        let provider = try ScriptedProvider()
        provider.respondsWithDate(ahead: 90_000)
        let clock = provider.clock
        provider.deviate { deviations in
            deviations.claims = { claims in claims["auth_time"] = .integer(Int64(clock.now.timeIntervalSince1970 - age))
            }
        }
        let client = provider.client()
        var request = AuthorizationRequest()
        request.maximumAge = .seconds(300)
        let url = try provider.approve(try await client.begin(request))
        guard isAccepted else {
            await #expect(throws: OAuthError.insufficientAuthentication) { try await client.finish(url) }
            return
        }
        try await expectEqual(client.finish(url).idTokenClaims?.subject, "ada")
    }
}
