// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// An interceptor that lets pages of other origins call an API and read its responses (Fetch §3.2).
///
/// ```swift
/// let pages = CORSInterceptor(origins: ["https://app.example.com"], below: "/api")
/// var router = Router(interceptors: [RequestIDInterceptor(), pages, ProblemInterceptor()])
/// router.get("/api/notes") { _ in HTTPResponse(status: .ok) }
/// ```
///
/// Responses never permit cookies, so that a page can only use what it holds itself, such as an access token.
///
/// Use it in the outermost router, outside of interceptors that convert errors to responses. The interceptors of a group
/// do not see preflight requests, and a page can read an error only with the fields that are added here.
public struct CORSInterceptor: Interceptor, Filter {
    /// The paths whose responses pages may read.
    private let includes: @Sendable (String) -> Bool
    private let allows: @Sendable (String) -> Bool
    private let maximumAge: String
    /// The paths whose endpoints decide themselves, once they know who asks.
    private let decides: @Sendable (_ path: String, _ origin: String) -> Bool

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - origins: The origins as browsers send them, such as `https://app.example.com` or `http://localhost:5173`:
    ///     scheme, host, and a port that is not the default. `*` allows every origin.
    ///   - prefix: The path of the API. It also includes all paths below it.
    ///   - maximumAge: The time for which browsers keep the response to a preflight request; some keep it for less.
    public init(origins: Set<String>, below prefix: String = "/", maximumAge: Duration = .seconds(7200)) {
        let folder = prefix.utf8.last == 0x2F ? prefix : "\(prefix)/"
        let (allowsAll, origins) = (origins.contains("*"), Set(origins.map { $0.lowercasedASCII() }))
        self.init(
            maximumAge: maximumAge, includes: { $0 == prefix || $0.utf8.starts(with: folder.utf8) },
            allows: { allowsAll || origins.contains($0.lowercasedASCII()) })
    }

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - includes: Returns whether pages may read the responses of a path.
    ///   - allows: Returns whether the pages of an origin may.
    ///   - decides: Returns whether the endpoint of a path also has to give its permission to an origin, by
    ///     ``HTTPRequest/pageAccess``.
    package init(
        maximumAge: Duration = .seconds(7200), includes: @escaping @Sendable (_ path: String) -> Bool,
        allows: @escaping @Sendable (_ origin: String) -> Bool,
        decides: @escaping @Sendable (_ path: String, _ origin: String) -> Bool = { _, _ in false }
    ) {
        (self.includes, self.allows, self.decides) = (includes, allows, decides)
        self.maximumAge = String(max(0, maximumAge.components.seconds))
    }

    /// Responds to a preflight request of an allowed origin, and adds the fields to other responses for it.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await response(to: request, next: next)
    }

    /// The facts of a request that its response depends on.
    @usableFromInline
    package struct Note: Sendable {
        let isIncluded: Bool
        /// The origin that may read the response; nil for none.
        let origin: String?
        /// The decision of the endpoint; nil if it has none to make.
        var access: PageAccess?
    }

    @usableFromInline
    package func filter(_ request: inout HTTPRequest) -> Filtering<Note> {
        guard includes(request.pathWithoutQuery) else {
            return .proceed(Note(isIncluded: false, origin: nil))
        }
        // A sandboxed page has the origin `null`, which any page can have.
        guard let origin = request.fields.onlyValue(of: "Origin"), origin != "null", allows(origin) else {
            return .proceed(Note(isIncluded: true, origin: nil))
        }
        guard request.method == .options, let method = request.fields["Access-Control-Request-Method"] else {
            let access = decides(request.pathWithoutQuery, origin) ? PageAccess(origin: origin) : nil
            request.context[PageAccessKey.self] = access
            return .proceed(Note(isIncluded: true, origin: origin, access: access))
        }
        return .respond(preflight(origin, method, request.fields["Access-Control-Request-Headers"]))
    }

    @usableFromInline
    package func complete(_ outcome: inout Outcome, _ note: consuming Note) {
        guard note.isIncluded, outcome.error == nil else { return }
        // A cache must not give the response for one origin, or for none, to another (Fetch §3.2.5).
        outcome.response.fields.addVary("Origin")
        guard let origin = note.origin, note.access?.isGiven ?? true else { return }
        outcome.response.fields["Access-Control-Allow-Origin"] = origin
        outcome.response.fields["Access-Control-Expose-Headers"] = "*"
    }

    /// Returns the response that permits the request a page wants to send (Fetch §3.2.3).
    ///
    /// The endpoints decide on methods and fields, as for every other client.
    private func preflight(_ origin: String, _ method: String, _ names: String?) -> HTTPResponse {
        var fields: HTTPFields = [
            "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": method,
            "Access-Control-Max-Age": maximumAge,
            "Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        ]
        if let names { fields["Access-Control-Allow-Headers"] = names }
        return HTTPResponse(status: .noContent, fields: fields)
    }
}

/// A page of another origin that waits for the permission of an endpoint to read its response.
package final class PageAccess: Sendable {
    /// The origin of the page.
    package let origin: String
    private let given = Atomic(false)

    init(origin: String) { self.origin = origin }

    /// Lets the page read the response, also if it is an error.
    package func give() { given.store(true, ordering: .relaxed) }

    var isGiven: Bool { given.load(ordering: .relaxed) }
}

private enum PageAccessKey: HTTPContextKey {
    static var defaultValue: PageAccess? { nil }
}

extension HTTPRequest {
    /// The page of another origin that has sent the request; nil unless the endpoint decides about it.
    package var pageAccess: PageAccess? { context[PageAccessKey.self] }
}
