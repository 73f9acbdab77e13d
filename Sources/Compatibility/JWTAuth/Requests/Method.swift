// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A request method (RFC 9110 §9.3, RFC 5789).
public enum Method: String, Sendable, Hashable, CaseIterable {
    /// Asks for a representation.
    case get = "GET"
    /// Asks for its head alone.
    case head = "HEAD"
    /// Hands over content to be processed.
    case post = "POST"
    /// Replaces what is there.
    case put = "PUT"
    /// Removes what is there.
    case delete = "DELETE"
    /// Changes a part of what is there.
    case patch = "PATCH"
    /// Asks what is possible.
    case options = "OPTIONS"
    /// Asks for the request as it arrived.
    case trace = "TRACE"
    /// Asks for a tunnel, which no transport of this package makes.
    case connect = "CONNECT"

    /// Whether content has no meaning in a request of this method (RFC 9110 §9.3.1, §9.3.2, §9.3.8).
    var ignoresContent: Bool { self == .get || self == .head || self == .trace }

    /// The method of the core.
    var core: HTTPMethod { HTTPMethod(rawValue: rawValue) }
}
