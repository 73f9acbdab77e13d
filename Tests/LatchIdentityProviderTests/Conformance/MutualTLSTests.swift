// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

/// The modules of `fapi2-security-profile-final-test-plan` with `mtls` for clients and for tokens.
@Suite struct MutualTLSTests {
    private func peers() async throws -> (first: SuitePeer, second: SuitePeer, authority: ClientAuthority) {
        let authority = try await ClientAuthority()
        let (first, second) = try await SuitePeer.mutual(authority)
        return (first, second, authority)
    }

    @Test func `A client with a certificate gets tokens that need it [happy-flow]`() async throws {
        let (peer, other, _) = try await peers()
        var agent = UserAgent(peer.site)
        let tokens = try await peer.signIn(&agent).tokens
        try await expectEqual(peer.userInfo(tokens.accessToken).status, 200)
        for certificate in [other.certificate, nil] {
            var thief = peer
            thief.certificate = certificate
            let refused = try await thief.userInfo(tokens.accessToken)
            #expect(refused.status == 401 && refused.field(.wwwAuthenticate)?.contains("invalid_token") == true)
        }
        try await peer.idToken(in: try await peer.refresh(tokens.refreshToken))
        await peer.site.close()
    }

    @Test func `A request for tokens without a certificate is refused [ensure-holder-of-key-required]`() async throws {
        var peer = try await peers().first
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        let shown = peer.certificate
        peer.certificate = nil
        peer.expect(try await peer.exchange(code), ["invalid_client", "invalid_request"])
        peer.certificate = shown
        try await peer.idToken(in: try await peer.exchange(code), code: code)
        await peer.site.close()
    }

    @Test func `A certificate is of no other client [ensure-client-id-in-token-endpoint]`() async throws {
        let (first, second, _) = try await peers()
        var agent = UserAgent(first.site)
        let code = try await first.code(&agent)
        let refused = try await first.exchange(code, ["client_id": second.clientID])
        first.expect(refused, ["invalid_client", "invalid_grant"])
        await first.site.close()
    }

    @Test func `A code is of no other client [ensure-authorization-code-is-bound-to-client]`() async throws {
        let (first, second, _) = try await peers()
        var agent = UserAgent(first.site)
        let code = try await first.code(&agent)
        first.expect(try await second.exchange(code), ["invalid_grant"])
        await first.site.close()
    }

    @Test func `A refresh token is of no other client [refresh-token]`() async throws {
        let (first, second, _) = try await peers()
        var agent = UserAgent(first.site)
        let tokens = try await first.signIn(&agent).tokens
        first.expect(try await second.refresh(tokens.refreshToken), ["invalid_grant"])
        await first.site.close()
    }

    @Test func `A request is pushed only with the certificate [par-without-certificate]`() async throws {
        var (peer, other, authority) = try await peers()
        for certificate in [nil, other.certificate, try await authority.stranger(subject: "/CN=one").der] {
            peer.certificate = certificate
            peer.expect(try await peer.push(), ["invalid_client"])
        }
        await peer.site.close()
    }
}
