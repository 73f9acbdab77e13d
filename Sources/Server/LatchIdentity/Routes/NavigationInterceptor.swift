// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

/// An interceptor that rejects what a browser loads as a part of a page: a frame, an image, a script, a fetch.
///
/// It comes before the limits, so that a page of another site cannot use up those of its visitors' networks. Browsers
/// that send no Fetch Metadata are let through: the pages' own policy forbids frames, and cookies decide about forms.
struct NavigationInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        // Fetch Metadata Request Headers §2.1 and §2.2.
        guard request.fields["Sec-Fetch-Dest"] ?? "document" == "document",
            request.fields["Sec-Fetch-Mode"] ?? "navigate" == "navigate"
        else { return SignInPages.failure(.embeddedPage) }
        return try await next.respond(to: request)
    }
}
