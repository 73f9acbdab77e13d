// SPDX-License-Identifier: Apache-2.0

/// With which requests a cookie goes along, as its server asked (RFC 6265bis §4.1.2.7).
public enum SameSite: String, Sendable, Hashable, Codable {
    /// Only with requests from its own site.
    case strict
    /// Also when a person follows a link from another site.
    case lax
    /// With all requests.
    case none
    /// Its server did not say; enforced as `lax`.
    case unset
}

/// Where a request comes from, as `SameSite` sees it (RFC 6265bis §5.2).
///
/// A program that calls an API is no page of anybody: its requests are same-site by definition, also those that a
/// redirect led elsewhere. Only what sends requests on behalf of somebody else's page, such as a web view, has to say so.
public enum RequestSite: Sendable, Hashable {
    /// From nobody's page, or from one of the same site.
    case same
    /// From a page of another site, such as an image of its content.
    case other
    /// From a page of another site, to be shown in its place: a person followed a link.
    case otherNavigating
}

private enum RequestSiteKey: HTTPContextKey {
    static var defaultValue: RequestSite { .same }
}

extension HTTPRequest {
    /// Where the request comes from; a program's own are same-site.
    public var site: RequestSite {
        get { context[RequestSiteKey.self] }
        set { context[RequestSiteKey.self] = newValue }
    }
}
