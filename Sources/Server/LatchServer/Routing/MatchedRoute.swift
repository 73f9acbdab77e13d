// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The pattern of the route that a router has found, for the interceptors around it, which see the request before.
package final class MatchedRoute: Sendable {
    private let found = Mutex<String?>(nil)
    private let failed = Mutex<String?>(nil)

    /// Creates a value that a router fills.
    package init() {}

    /// The pattern, such as `/notes/{id}`; nil until a router has found an endpoint.
    package internal(set) var pattern: String? {
        get { found.withLock { $0 } }
        set { found.withLock { $0 = newValue } }
    }

    /// The code of the failure of the server that the response reports; nil if there is none.
    package var failure: String? {
        get { failed.withLock { $0 } }
        set { failed.withLock { $0 = newValue } }
    }
}

/// The context key of the route to fill; nil where nobody asks for it.
package enum MatchedRouteKey: HTTPContextKey {
    package static var defaultValue: MatchedRoute? { nil }
}
