// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityStorage
import LatchServer

/// An interceptor that rejects requests for a part of a page: a frame, an image, a script, a fetch.
///
/// It also refuses prefetches (`Sec-Purpose`). They would use up a sign-in or end a session before the user has
/// navigated. The browser sends the request again when the user navigates.
///
/// It precedes the limits, so that a page of another site cannot use up the limits of its visitors' networks. Browsers
/// without Fetch Metadata pass: the pages' own policy forbids frames, and cookies protect the forms.
struct NavigationInterceptor: Interceptor {
    let context: PageContext
    /// Whether a frame may request an authorization without a page (`prompt=none`), as apps do to renew their session.
    var allowsSilentFrames = false

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard !request.isPrefetch else {
            return HTTPResponse(status: .serviceUnavailable, fields: [.cacheControl: "no-store"])
        }
        // Fetch Metadata Request Headers §2.1 and §2.2.
        guard request.fields["Sec-Fetch-Mode"] ?? "navigate" == "navigate" else {
            return context.accepting(request).failure(.embeddedPage)
        }
        switch request.fields["Sec-Fetch-Dest"] ?? "document" {
        // A service worker of the same origin fetches a navigation with the empty destination.
        case "document", "empty": return try await next.respond(to: request)
        case "iframe" where allowsSilentFrames && request.isSilentAuthorization:
            var request = request
            request.context[SilentFrame.self] = true
            return try await next.respond(to: request)
        default: return context.accepting(request).failure(.embeddedPage)
        }
    }
}

/// Whether a frame has sent the request.
///
/// It gets no page for a user, and does not count as one (decision 0087).
enum SilentFrame: HTTPContextKey {
    static var defaultValue: Bool { false }
}

extension HTTPRequest {
    /// Whether the request must be answered without a page (OpenID Connect Core §3.1.2.1).
    ///
    /// A request that was posted, pushed or signed decides by its own parameters, and not by those of the URL.
    fileprivate var isSilentAuthorization: Bool {
        let items = queryItems
        let others = ["posted", "request_uri", "request"]
        return method == .get && items["prompt"] == "none" && others.allSatisfy { items[$0] == nil }
    }
}
