// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The route that a router has found, and the failure or the refusal of its endpoint, for the interceptors around them, which see the request
/// before.
package final class MatchedRoute: Sendable {
    private let found = Mutex<(pattern: String?, failure: String?, refusal: String?)>((nil, nil, nil))

    /// Creates a value that a router fills.
    package init() {}

    /// The pattern, the failure and the refusal.
    var findings: (pattern: String?, failure: String?, refusal: String?) { found.withLock { $0 } }

    /// The pattern, such as `/notes/{id}`; nil until a router has found an endpoint.
    package internal(set) var pattern: String? {
        get { found.withLock { $0.pattern } }
        set { found.withLock { $0.pattern = newValue } }
    }

    /// The code of the failure of the server that the response reports; nil if there is none.
    package var failure: String? {
        get { found.withLock { $0.failure } }
        set { found.withLock { $0.failure = newValue } }
    }

    /// The code for which the endpoint refuses the request, without a value of the request; nil if there is none.
    package var refusal: String? {
        get { found.withLock { $0.refusal } }
        set { found.withLock { $0.refusal = newValue } }
    }
}

/// The context key of the route to fill; nil where nobody asks for it.
package enum MatchedRouteKey: HTTPContextKey {
    package static var defaultValue: MatchedRoute? { nil }
}

extension HTTPRequest {
    /// Asks for the route, and returns the value to fill, which all who ask share.
    @discardableResult
    package mutating func askForRoute() -> MatchedRoute {
        if let known = context[MatchedRouteKey.self] { return known }
        let route = MatchedRoute()
        context[MatchedRouteKey.self] = route
        return route
    }
}
