// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A request method.
public enum HTTPMethod: String, Sendable, CaseIterable {
    /// Asks for a representation.
    case get
    /// Hands over content to be processed.
    case post
    /// Replaces what is there.
    case put
    /// Changes a part of what is there.
    case patch
    /// Removes what is there.
    case delete

    /// The method as it stands on the request line.
    public var stringValue: String { rawValue.uppercased() }

    /// The method of the core.
    var core: LatchHTTP.HTTPMethod { LatchHTTP.HTTPMethod(rawValue: stringValue) }
}
