// SPDX-License-Identifier: Apache-2.0

/// Joins a jar to a client: each message carries the cookies that are for its target, and each answer may set some.
///
/// That holds for every message that goes out, so also for the answers of redirects and for the hosts that they lead
/// to: which cookie goes where is decided by the cookie's own domain, path and security, and by nothing else. A `Cookie`
/// field that the caller wrote stays as it is and gets those of the jar that have other names; across origins a redirect
/// drops the caller's part of it, and the jar's cookies for the new target go alone.
public struct CookieInterceptor: Interceptor {
    private let jar: CookieJar

    /// An interceptor for `jar`.
    public init(_ jar: CookieJar) { self.jar = jar }

    /// Lets the jar take part in each message that goes out for the request.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.steps.append(CookieStep(jar: jar))
        return try await next.respond(to: request)
    }
}

/// The jar's part in one message.
private struct CookieStep: WireStep {
    let jar: CookieJar

    var crossesOrigins: Bool { true }

    func prepare(_ request: inout HTTPRequest) async throws {
        request.add(jar.cookies(for: request), replacing: false)
    }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async { jar.receive(response, to: request) }
}
