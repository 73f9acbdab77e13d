// SPDX-License-Identifier: Apache-2.0

/// The way in which a server returns the response to an authorization request.
public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
    /// The query of the redirect URI, which is the default of codes (OAuth 2.0 Multiple Response Types §2.1).
    case query
    /// A form that the browser posts to the redirect URI (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
    /// A signed response in the query (JARM §2.3.1).
    case signedQuery = "query.jwt"
    /// A signed response in a form that the browser posts (JARM §2.3.3).
    case signedPost = "form_post.jwt"

    /// Whether the server signs the response.
    var isSigned: Bool { self == .signedQuery || self == .signedPost }

    /// Whether the browser posts the response to the redirect URI.
    package var isPosted: Bool { self == .formPost || self == .signedPost }
}
