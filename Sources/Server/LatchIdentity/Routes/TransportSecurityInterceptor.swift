// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// An interceptor that makes browsers use only https for the issuer's host (RFC 6797).
struct TransportSecurityInterceptor: Interceptor, Filter {
    private let field: String

    /// Creates the interceptor; nil without https, on a loopback address, or with a time of zero.
    init?(_ configuration: IdentityConfiguration) {
        guard configuration.hstsMaxAge > .zero,
            let origin = configuration.issuer.flatMap({ try? HTTPOrigin.split($0) })?.origin,
            origin.scheme == "https", !origin.isLoopback
        else { return nil }
        field = "max-age=\(configuration.hstsMaxAge.components.seconds)"
    }

    func filter(_ request: inout HTTPRequest) -> Filtering<Void> { .proceed(()) }

    func complete(_ outcome: inout Outcome, _: consuming Void) {
        outcome.response.fields["Strict-Transport-Security"] = field
    }
}
