// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import LatchTexts

extension PageContext {
    /// The context of the current request, or the one of the default configuration.
    static var current: PageContext { ofRequest ?? PageContext(IdentityConfiguration()) }

    /// Creates the context of a request without preferences, or of no request.
    convenience init(_ configuration: IdentityConfiguration) {
        let parts = (configuration.issuer ?? "").withoutFinalSlash.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        self.init(
            nil, defaultLanguage: configuration.defaultLanguage, serviceName: configuration.serviceName,
            basePath: parts.count == 4 ? "/\(String(Substring(parts[3])))" : "")
    }
}

/// An interceptor that binds the context of each request, and shows the router's own errors as pages to browsers.
///
/// It is outermost, so that every page and every mail of a request is in its language.
struct PageContextInterceptor: ImmediateInterceptor {
    /// The context of a request that prefers no language.
    private let common: PageContext

    init(configuration: IdentityConfiguration) { common = PageContext(configuration) }

    func begin(_ request: inout HTTPRequest, next: NextHandler) -> EventualResponse {
        let context = common.accepting(request.fields[.acceptLanguage])
        return PageContext.$ofRequest.withValue(context) {
            switch next.begin(&request) {
            case .ready(var outcome):
                Self.replaceError(in: &outcome, request.fields[.accept])
                return .ready(outcome)
            case .pending(let pending):
                return .pending { [accept = request.fields[.accept]] in
                    await PageContext.$ofRequest.withValue(context) {
                        var outcome = await pending()
                        Self.replaceError(in: &outcome, accept)
                        return outcome
                    }
                }
            }
        }
    }

    /// Replaces the router's own error by a page if the client is a browser.
    private static func replaceError(in outcome: inout Outcome, _ accept: @autoclosure () -> String?) {
        guard outcome.error == nil, let error = pageError(outcome.response.status), prefersPage(accept()),
            !outcome.response.isPage
        else { return }
        var page = SignInPages.failure(error)
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

extension HTTPFieldName {
    /// RFC 9110 §12.5.4.
    fileprivate static let acceptLanguage: HTTPFieldName = "Accept-Language"
}

extension HTTPResponse {
    fileprivate var isPage: Bool { fields[.contentType]?.utf8.starts(with: "text/html".utf8) ?? false }
}
