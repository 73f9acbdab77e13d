// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer
import LatchTexts

/// An interceptor that shows the router's own errors as pages to browsers.
package struct PageErrorInterceptor: Filter {
    package let context: PageContext

    package init(context: PageContext) {
        self.context = context
    }

    package func filter(_ request: inout HTTPRequest) -> Filtering<HTTPFields> { .proceed(request.fields) }

    package func complete(_ outcome: inout Outcome, _ fields: consuming HTTPFields) {
        guard outcome.error == nil, let error = Self.pageError(outcome.response.status),
            Self.prefersPage(fields[.accept]), !outcome.response.isPage
        else { return }
        var page = context.accepting(fields).failure(error)
        page.status = outcome.response.status
        page.fields["Allow"] = outcome.response.fields["Allow"]
        outcome.response = page
    }

    /// Returns the error for a status that the router itself responds with; nil for any other status.
    private static func pageError(_ status: HTTPStatus) -> IdentityError? {
        switch status {
        case .notFound: .noSuchPage
        case .methodNotAllowed: .notAPage
        default: nil
        }
    }

    /// Returns whether a request accepts HTML at least as much as JSON, as the navigation of a browser does.
    private static func prefersPage(_ field: String?) -> Bool {
        guard let field else { return false }
        let preferences = Preferences(field)
        guard let html = preferences.weight(of: "text/html"), html > 0 else { return false }
        let json = preferences.weight(of: "application/json") ?? preferences.weight(of: "*/*") ?? 0
        return html >= json
    }
}

extension HTTPResponse {
    fileprivate var isPage: Bool { fields[.contentType]?.utf8.starts(with: "text/html".utf8) ?? false }
}
