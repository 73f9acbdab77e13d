// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchCrypto
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
import LatchOAuth

/// The state of an identity provider, for an operator's check.
package struct UpstreamCheck: Sendable {
    /// The name of the provider in the configuration.
    package let provider: String
    /// The part that does not work, such as `discovery`; nil if all parts work.
    package var part: String?
    /// The reason; nil if all parts work.
    package var error: (any Error)?
}

extension UpstreamCheck {
    /// The result as administrators see it.
    package var json: JSONObject {
        [
            "provider": .string(provider), "works": .bool(part == nil),
            "part": part.map { .string($0) } ?? .null, "problem": error.map { .string($0.codeOrType) } ?? .null,
        ]
    }
}

extension IdentityConfiguration {
    /// Requests metadata and keys from each configured identity provider, and checks the client and its secret.
    ///
    /// For the last check, it sends a code that was never issued. A provider first refuses an unknown client (RFC 6749
    /// §5.2). Other refusals are expected.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package func checkUpstreams(by transport: any Handler) async throws(IdentityError) -> [UpstreamCheck] {
        let clients = try UpstreamClients(self, transport: transport, clock: .system, random: .system).all
        var checks: [UpstreamCheck] = []
        for client in clients { checks.append(await client.check(redirectURI: issuer)) }
        return checks
    }
}

extension UpstreamClient {
    /// Requests the provider's metadata and keys, and checks the client and its secret.
    ///
    /// - Parameter issuer: The URL of this server; nil if it is unknown.
    package func check(redirectURI issuer: String?) async -> UpstreamCheck {
        var check = UpstreamCheck(provider: provider.name)
        if let (part, error) = await flaw(redirectURI: issuer) { (check.part, check.error) = (part.rawValue, error) }
        return check
    }

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
