// SPDX-License-Identifier: Apache-2.0

/// An interceptor that connects a cookie jar to a client: requests carry the jar's cookies, and responses set them.
///
/// It applies to every message, including redirects to other hosts. Only the cookie's domain, path and security
/// attributes decide which request carries it. A `Cookie` field that the caller has set is kept, and the jar adds
/// cookies with other names. A redirect to another origin drops the caller's field and sends only the jar's cookies for
/// the new target.
public struct CookieInterceptor: Interceptor {
    private let jar: CookieJar

    /// Creates an interceptor for `jar`.
    public init(_ jar: CookieJar) { self.jar = jar }

    /// Attaches the jar to each message of the request.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.modifiers.append(CookieModifier(jar: jar))
        return try await next.respond(to: request)
    }
}

/// The modifier that adds and receives cookies.
private struct CookieModifier: RequestModifier {
    let jar: CookieJar

    var crossesOrigins: Bool { true }

    func prepare(_ request: inout HTTPRequest) async throws {
        request.add(jar.cookies(for: request), replacing: false)
    }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async { jar.receive(response, to: request) }
}
