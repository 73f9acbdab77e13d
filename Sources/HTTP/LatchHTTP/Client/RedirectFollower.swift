// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// The innermost step of a client: refuses unencrypted targets and follows redirects.
///
/// Decision: redirects run inside the interceptors, next to the transport. An interceptor that adds a credential
/// therefore runs once, for the origin that the caller asked for, and never sees a redirect's target. What it leaves on
/// the request as a `WireStep` runs here for each message: a signature is made anew for every redirect within the
/// origin, and for none beyond it. Following outside the interceptors would let every interceptor of a stranger decide
/// about every origin.
struct RedirectFollower: Handler {
    let transport: any Handler
    let policy: RedirectPolicy
    let insecure: InsecureHTTP

    /// The first answer that is no redirect, or a refusal; without a location a redirect is an answer.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.scheme == "https" || insecure.allows(request.origin) else { throw HTTPError.insecureURL }
        var response = try await request.sent(by: transport)
        guard policy.maximum > 0, Self.isRedirect(response) else { return response }
        let origin = request.origin
        var request = request
        var count = 0
        while Self.isRedirect(response), let location = response.fields[.location] {
            count += 1
            guard count <= policy.maximum else { throw HTTPError.redirectRefused("There were too many redirects.") }
            request = try follow(request, to: location, status: response.status)
            response = try await request.sent(by: transport, isElsewhere: request.origin != origin)
        }
        return response
    }

    /// RFC 9110 §15.4: 300 leaves the choice to a person, 304 is no redirect, 305 and 306 are not in use.
    private static func isRedirect(_ response: HTTPResponse) -> Bool {
        switch response.status.rawValue {
        case 301, 302, 303, 307, 308: response.fields[.location] != nil
        default: false
        }
    }

    /// The request that a redirect asks for, with less in it where the method or the origin changes, never with more.
    private func follow(
        _ request: HTTPRequest, to location: String, status: HTTPStatus
    ) throws(HTTPError) -> HTTPRequest {
        var next = request
        let origin = request.origin
        let target = try resolve(location, against: request)
        // RFC 9110 §15.4: 303 becomes GET; 301 and 302 change POST only, as browsers always did.
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

    /// Refuses to leave encryption behind, and to carry content where nobody meant it to go.
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

    /// RFC 9110 §10.2.2: the location is relative to the request's target.
    private func resolve(
        _ location: String, against request: HTTPRequest
    ) throws(HTTPError) -> (origin: HTTPOrigin, path: String) {
        guard let base = URL(string: request.absoluteURL), let url = URL(string: location, relativeTo: base) else {
            throw .redirectRefused("A redirect leads to a malformed address.")
        }
        do {
            return try HTTPOrigin.split(url.absoluteURL.absoluteString)
        } catch {
            throw .redirectRefused("A redirect leads to a malformed address.")
        }
    }

    /// RFC 9110 §15.4: what describes content that is no longer sent; `Content-Digest` is RFC 9530's name for the digest.
    private static let contentFields: [HTTPFieldName] = [
        .contentType, .contentLength, "Content-Encoding", "Content-Language", "Content-Location", "Digest",
        "Content-Digest", "Repr-Digest", "Last-Modified",
    ]
}
