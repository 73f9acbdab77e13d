// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The limits of following redirects.
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of redirects of one request; more redirects are an error.
    ///
    /// With 0, a redirect is returned as a response.
    public var maximum: Int

    /// Whether 307 and 308 may carry a request's content to another origin.
    ///
    /// Content is often a credential itself (a password, a refresh token), and no field marks it as such.
    public var sendsContentToOtherOrigins: Bool

    /// Whether a redirect to another origin is an error.
    ///
    /// Use it for content that is trusted because of its origin, such as an issuer's keys.
    public var staysWithinOrigin: Bool

    /// Creates a policy; the default follows ten redirects and keeps content within the origin.
    public init(maximum: Int = 10, sendsContentToOtherOrigins: Bool = false, staysWithinOrigin: Bool = false) {
        self.maximum = maximum
        self.sendsContentToOtherOrigins = sendsContentToOtherOrigins
        self.staysWithinOrigin = staysWithinOrigin
    }

    /// A policy that follows no redirect and returns it as a response.
    public static let none = RedirectPolicy(maximum: 0)
}

/// The innermost handler of a client, which rejects unencrypted targets and follows redirects.
///
/// Decision: redirects are followed inside the interceptors, next to the transport. An interceptor that adds a
/// credential therefore runs once, for the origin of the original request, and never sees the target of a redirect. Its
/// `RequestModifier`s run here for each message. They create a new signature for each redirect within the origin, and
/// omit it from the first redirect to another one. Otherwise every third-party interceptor would decide about every
/// origin.
struct RedirectFollower: Handler {
    let transport: any Handler
    let policy: RedirectPolicy
    let insecure: InsecureHTTP

    /// Returns the first response that is not a redirect, or throws.
    ///
    /// A redirect status without a location is an ordinary response.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.scheme == "https" || insecure.allows(request.origin) else { throw HTTPError.insecureURL }
        var response = try await request.sent(by: transport)
        guard policy.maximum > 0, Self.isRedirect(response) else { return response }
        let origin = request.origin
        var request = request
        // Fetch §4.4, "HTTP-redirect fetch": a removed credential stays removed, even back at the origin. The other
        // origin has chosen the path and method of that request.
        var hasLeft = false
        var count = 0
        while Self.isRedirect(response), let location = response.fields[.location] {
            count += 1
            guard count <= policy.maximum else { throw HTTPError.redirectRefused("There were too many redirects.") }
            request = try follow(request, to: location, status: response.status)
            hasLeft = hasLeft || request.origin != origin
            response = try await request.sent(by: transport, hasLeftOrigin: hasLeft)
        }
        return response
    }

    /// RFC 9110 §15.4: 300 lets the user choose, 304 is not a redirect, and 305 and 306 are not in use.
    private static func isRedirect(_ response: HTTPResponse) -> Bool {
        switch response.status.rawValue {
        case 301, 302, 303, 307, 308: response.fields[.location]?.isEmpty == false
        default: false
        }
    }

    /// Returns the request that a redirect leads to; it never carries more than the original one.
    private func follow(
        _ request: HTTPRequest, to location: String, status: HTTPStatus
    ) throws(HTTPError) -> HTTPRequest {
        var next = request
        let origin = request.origin
        let target = try resolve(location, against: request)
        // RFC 9110 §15.4: 303 becomes GET. 301 and 302 change only POST, as browsers always did.
        let isRewritten =
            status == .seeOther ? request.method != .head : status.rawValue < 303 && request.method == .post
        if isRewritten {
            next.method = .get
            next.body = .empty
            for name in Self.contentFields { next.fields[name] = nil }
        }
        next.scheme = target.origin.scheme
        next.authority = target.origin.authority
        next.path = target.path
        next.fields[.host] = nil
        try check(target.origin, after: origin, carrying: next.body)
        if target.origin != origin { next.removeCredentials() }
        return next
    }

    /// Rejects a change from https to http, and content that would reach an unintended origin.
    private func check(_ target: HTTPOrigin, after origin: HTTPOrigin, carrying body: HTTPBody) throws(HTTPError) {
        guard target.scheme == "https" || origin.scheme == "http", insecure.allows(target) else {
            throw .redirectRefused("A redirect to unencrypted http was refused.")
        }
        guard target == origin || !policy.staysWithinOrigin else {
            throw .redirectRefused("A redirect to another origin, \(target), was refused.")
        }
        guard body.isReplayable else { throw HTTPError.streamSpent }
        guard body.isEmpty || target == origin || policy.sendsContentToOtherOrigins else {
            throw .redirectRefused("A redirect would have carried the request's content to \(target).")
        }
    }

    /// Resolves the location relative to the request's target (RFC 9110 §10.2.2).
    private func resolve(
        _ location: String, against request: HTTPRequest
    ) throws(HTTPError) -> (origin: HTTPOrigin, path: String) {
        guard let base = URL(encodingOnce: request.absoluteURL),
            let url = URL(encodingOnce: location, relativeTo: base),
            let target = try? HTTPOrigin.split(url.absoluteString)
        else { throw .redirectRefused("A redirect leads to a malformed address.") }
        return target
    }

    /// The fields that describe content that is no longer sent (RFC 9110 §15.4); `Content-Digest` is from RFC 9530.
    private static let contentFields: [HTTPFieldName] = [
        .contentType, .contentLength, "Content-Encoding", "Content-Language", "Content-Location", "Digest",
        "Content-Digest", "Repr-Digest", "Last-Modified",
    ]
}
