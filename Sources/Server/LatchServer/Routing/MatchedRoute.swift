// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The matched route of a request, and the failure or rejection by its endpoint.
///
/// It is for interceptors around the router, which see the request before it is matched.
package final class MatchedRoute: Sendable {
    private let found = Mutex<(pattern: String?, failure: String?, refusal: String?)>((nil, nil, nil))

    /// Creates a value that a router fills.
    package init() {}

    /// The pattern, the failure and the rejection.
    var findings: (pattern: String?, failure: String?, refusal: String?) { found.withLock { $0 } }

    /// The pattern, such as `/notes/{id}`; nil until a router has found an endpoint.
    package internal(set) var pattern: String? {
        get { found.withLock { $0.pattern } }
        set { found.withLock { $0.pattern = newValue } }
    }

    /// The code of the server failure that the response reports; nil if there is none.
    package var failure: String? {
        get { found.withLock { $0.failure } }
        set { found.withLock { $0.failure = newValue } }
    }

    /// The code for which the endpoint rejects the request, without a value of the request; nil if there is none.
    package var refusal: String? {
        get { found.withLock { $0.refusal } }
        set { found.withLock { $0.refusal = newValue } }
    }
}

/// The context key for the route to fill; nil if no interceptor asks for it.
package enum MatchedRouteKey: HTTPContextKey {
    package static var defaultValue: MatchedRoute? { nil }
}

extension HTTPRequest {
    /// Asks for the route, and returns the value to fill; all interceptors that ask share it.
    @discardableResult
    package mutating func askForRoute() -> MatchedRoute {
        if let known = context[MatchedRouteKey.self] { return known }
        let route = MatchedRoute()
        context[MatchedRouteKey.self] = route
        return route
    }
}
