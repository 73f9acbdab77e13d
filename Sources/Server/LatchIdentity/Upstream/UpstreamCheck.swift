// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
package import LatchHTTP
import LatchJOSE
import LatchOAuth
import PortableFoundation

/// What an identity provider says to this server, for an operator's check.
package struct UpstreamCheck: Sendable {
    /// The name of the provider in the configuration.
    package let provider: String
    /// The part that does not work, such as `discovery`; nil if all do.
    package var part: String?
    /// The reason; nil if all works.
    package var error: (any Error)?
}

extension IdentityConfiguration {
    /// Asks each configured identity provider for its metadata and its keys, and whether it knows the client with its secret.
    ///
    /// For the last it gets a code that it never issued. A provider first refuses a client that it does not know (RFC 6749 §5.2). Other
    /// refusals are as they should be.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package func checkUpstreams(by transport: any Handler) async throws(IdentityError) -> [UpstreamCheck] {
        let clients = try UpstreamClients(self, transport: transport, clock: .system, random: .system).all
        var checks: [UpstreamCheck] = []
        for client in clients {
            var check = UpstreamCheck(provider: client.provider.name)
            if let (part, error) = await client.flaw(redirectURI: issuer) {
                (check.part, check.error) = (part.rawValue, error)
            }
            checks.append(check)
        }
        return checks
    }
}

extension UpstreamClient {
    /// Returns the first part that does not work, and the reason.
    fileprivate func flaw(redirectURI issuer: String?) async -> (UpstreamPart, any Error)? {
        var part = UpstreamPart.discovery
        do {
            let server = try await authorization.server()
            if let url = server.keySetURL {
                part = .keys
                _ = try await RemoteKeySet(url: url, transport: transport).keys()
            }
            part = .token
            let callback = issuer.flatMap { URL(encodingOnce: UpstreamSignInService.callback($0, provider)) }
            let code = Base64URL.encode(RandomSource.system.bytes(24))
            let grant = AuthorizationCodeGrant(
                code: code, verifier: Base64URL.encode(RandomSource.system.bytes(32)), redirectURI: callback)
            _ = try await authorization.tokenEndpoint().tokens(for: grant)
            return nil
        } catch let error as OAuthError where part == .token {
            let isUnknown = [.invalidClient, .unauthorizedClient, .unauthorized].contains(error)
            return isUnknown || error.status?.isServerError ?? false ? (part, error) : nil
        } catch {
            return (part, error)
        }
    }
}
