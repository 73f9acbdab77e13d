// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Where a route's parameters are written.
public enum ParameterEncoding: Sendable, Hashable {
    /// Into the URL.
    case query
    /// Into the content, as a JSON object.
    case json
    /// Into the content, as a form.
    case formUrlEncoded
    /// Nowhere.
    case none

    /// The media type of the content; nil where there is none.
    var contentType: String? {
        switch self {
        case .formUrlEncoded: FormEncoding.mediaType
        case .json: "application/json"
        case .query, .none: nil
        }
    }
}
