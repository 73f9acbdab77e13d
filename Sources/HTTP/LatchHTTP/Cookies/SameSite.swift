// SPDX-License-Identifier: Apache-2.0

/// The cross-site requests that carry a cookie, as its server requested (RFC 6265bis §4.1.2.7).
public enum SameSite: String, Sendable, Hashable, Codable {
    /// Same-site requests only.
    case strict
    /// Same-site requests and cross-site navigation, such as following a link.
    case lax
    /// All requests.
    case none
    /// The attribute is missing; enforced as `lax`.
    case unset
}

/// The relation between a request and the site that initiated it, as `SameSite` uses it (RFC 6265bis §5.2).
///
/// Requests of a program that calls an API are same-site by definition, including those after a redirect. Only a
/// program that sends requests on behalf of a web page, such as a web view, has to set it.
package enum RequestSite: Sendable, Hashable {
    /// A request of the program, or of a page of the same site.
    case sameSite
    /// A subrequest of a page of another site, such as for an image.
    case crossSite
    /// A top-level navigation from a page of another site, such as following a link.
    case crossSiteNavigation
}

private enum RequestSiteKey: HTTPContextKey {
    static var defaultValue: RequestSite { .sameSite }
}

extension HTTPRequest {
    /// The relation to the initiating site; a program's own requests are same-site.
    package var site: RequestSite {
        get { context[RequestSiteKey.self] }
        set { context[RequestSiteKey.self] = newValue }
    }
}
