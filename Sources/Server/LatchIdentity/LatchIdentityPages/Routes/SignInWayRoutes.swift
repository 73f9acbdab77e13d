// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The route that tells apps in which ways users can sign in, for their own screens.
package struct SignInWayRoutes: Sendable {
    package let configuration: IdentityConfiguration
    package let limits: RateLimits
    package let permitted: PermittedSignIns

    package init(configuration: IdentityConfiguration, limits: RateLimits, permitted: PermittedSignIns) {
        self.configuration = configuration
        self.limits = limits
        self.permitted = permitted
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.other)) {
            $0.getImmediately("/api/auth/ways", .getSignInWays, ways)
        }
    }

    /// Returns the ways, the same for every caller.
    ///
    /// A provider is in `providers` only.
    @Sendable private func ways(_ request: HTTPRequest) -> HTTPResponse {
        let ways = permitted.usable.subtracting([.provider])
        var response = HTTPResponse.json([
            "ways": .array(ways.words.map { .string($0) }),
            "providers": .array(
                configuration.upstreams.map {
                    ["name": .string($0.name), "display_name": .string($0.displayName)]
                }),
            "signup": .bool(SignUpRule(configuration).isOffered),
        ])
        response.fields[.cacheControl] = "public, max-age=60"
        return response
    }
}
