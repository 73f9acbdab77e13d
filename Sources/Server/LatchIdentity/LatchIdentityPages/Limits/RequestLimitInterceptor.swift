// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer

/// An interceptor that limits a network's requests by their heads, and reports the remaining ones.
///
/// It encloses the errors of its group, so that rejections and errors also have its fields. On pages, only
/// `NavigationInterceptor` encloses it: requests that it refuses do not count.
struct RequestLimitInterceptor: Filter {
    let limits: RateLimits
    /// The kind of the group's requests.
    let request: RateLimits.Request
    /// The format of the group's errors.
    var format = ErrorFormat.message
    /// Whether responses have the fields that Lazi documents.
    var hasLegacyFields = false

    func filter(_ request: inout HTTPRequest) -> Filtering<AttemptLimiter.Remaining> {
        let address = request.remoteAddress ?? RequestOrigin.inProcess
        // A page of another site can load frames, and must not use up its visitors' limit of pages.
        let kind = request.context[SilentFrame.self] ? .other : self.request
        let attempts = limits.attempts(of: kind, from: address)
        let (rejection, remaining) = limits.takeCounting(attempts)
        guard let rejection else { return .proceed(remaining) }
        var response = HTTPResponse.failure(.tooManyAttempts(rejection), as: format.accepting(request))
        report(remaining, in: &response)
        return .respond(response)
    }

    func complete(_ outcome: inout Outcome, _ remaining: consuming AttemptLimiter.Remaining) {
        report(remaining, in: &outcome.response)
    }

    /// Sets the fields that report the remaining requests.
    private func report(_ remaining: AttemptLimiter.Remaining, in response: inout HTTPResponse) {
        let limit = remaining.limit
        // A response that reports a stricter limit, such as that of wrong passwords, keeps it.
        if response.fields[.rateLimit] == nil {
            // One allocation for these fields and the request ID.
            response.fields.reserveCapacity(response.fields.count + 3)
            response.fields.append(limit.policyField, for: .rateLimitPolicy)
            response.fields.append(
                limit.field(left: remaining.count, until: Int(remaining.untilFull.rounded(.up))), for: .rateLimit)
        }
        guard hasLegacyFields else { return }
        // The names that Lazi documents; the end of the window is in seconds since 1970.
        response.fields["X-RateLimit-Limit"] = String(limit.capacity)
        response.fields["X-RateLimit-Remaining"] = String(remaining.count)
        response.fields["X-RateLimit-Reset"] = String(
            Int64(exactly: (remaining.date.timeIntervalSince1970 + remaining.untilFull).rounded(.up)) ?? 0)
    }
}

extension RateLimits {
    /// Returns the interceptors of routes whose requests count by their heads.
    package func limiting(_ request: Request, as format: ErrorFormat = .message) -> [any Interceptor] {
        [
            RequestLimitInterceptor(limits: self, request: request, format: format),
            IdentityErrorInterceptor(format: format),
        ]
    }

    /// Returns the interceptors of token routes whose responses have the fields that Lazi documents.
    func limitingWithLegacyFields(as format: ErrorFormat) -> [any Interceptor] {
        [
            RequestLimitInterceptor(limits: self, request: .token, format: format, hasLegacyFields: true),
            IdentityErrorInterceptor(format: format), QueryInterceptor(),
        ]
    }

    /// Returns the interceptors of pages that a browser opens in a separate window.
    ///
    /// - Parameter allowsSilentFrames: Whether a frame may request an authorization without a page.
    package func pages(
        limiting request: Request, in context: PageContext, allowsSilentFrames: Bool = false
    ) -> [any Interceptor] {
        [NavigationInterceptor(context: context, allowsSilentFrames: allowsSilentFrames)]
            + limiting(request, as: .page(context))
    }
}

extension HTTPFieldName {
    /// draft-ietf-httpapi-ratelimit-headers-10 §3.
    static let rateLimitPolicy: HTTPFieldName = "RateLimit-Policy"
}
