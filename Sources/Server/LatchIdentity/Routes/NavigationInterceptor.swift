// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

/// An interceptor that rejects what a browser loads as a part of a page: a frame, an image, a script, a fetch.
///
/// It also refuses what a browser loads ahead (`Sec-Purpose`): a sign-in would be used up, or a session ended, before the user has
/// gone anywhere. The browser then loads it when the user does.
///
/// It comes before the limits, so that a page of another site cannot use up those of its visitors' networks. Browsers
/// that send no Fetch Metadata are let through: the pages' own policy forbids frames, and cookies decide about forms.
struct NavigationInterceptor: Interceptor {
    /// Whether a frame may ask for an authorization without a page (`prompt=none`), as apps do to renew their session.
    var allowsSilentFrames = false

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard !request.isPrefetch else {
            return HTTPResponse(status: .serviceUnavailable, fields: [.cacheControl: "no-store"])
        }
        // Fetch Metadata Request Headers §2.1 and §2.2.
        guard request.fields["Sec-Fetch-Mode"] ?? "navigate" == "navigate" else {
            return SignInPages.failure(.embeddedPage)
        }
        switch request.fields["Sec-Fetch-Dest"] ?? "document" {
        // A service worker of the same origin fetches a navigation with the empty destination.
        case "document", "empty": return try await next.respond(to: request)
        case "iframe" where allowsSilentFrames && request.isSilentAuthorization:
            var request = request
            request.context[SilentFrame.self] = true
            return try await next.respond(to: request)
        default: return SignInPages.failure(.embeddedPage)
        }
    }
}

/// Whether a frame has sent the request: it shows no page, and counts as none (decision 0087).
enum SilentFrame: HTTPContextKey {
    static var defaultValue: Bool { false }
}

extension HTTPRequest {
    /// Whether the request must be answered without a page (OpenID Connect Core §3.1.2.1).
    fileprivate var isSilentAuthorization: Bool { method == .get && queryItems["prompt"] == "none" }
}
