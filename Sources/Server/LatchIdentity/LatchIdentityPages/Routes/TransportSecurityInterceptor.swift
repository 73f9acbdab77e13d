// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP
package import LatchIdentityAccounts

/// An interceptor that makes browsers use only https for the issuer's host (RFC 6797).
package struct TransportSecurityInterceptor: Interceptor, Filter {
    private let field: String

    /// Creates the interceptor; nil without https, on a loopback address, or with a time of zero.
    package init?(_ configuration: IdentityConfiguration) {
        guard configuration.hstsMaxAge > .zero,
            let origin = configuration.issuer.flatMap({ try? HTTPOrigin.split($0) })?.origin,
            origin.scheme == "https", !origin.isLoopback
        else { return nil }
        field = "max-age=\(configuration.hstsMaxAge.components.seconds)"
    }

    package func filter(_ request: inout HTTPRequest) -> Filtering<Void> { .proceed(()) }

    package func complete(_ outcome: inout Outcome, _: consuming Void) {
        outcome.response.fields["Strict-Transport-Security"] = field
    }
}
