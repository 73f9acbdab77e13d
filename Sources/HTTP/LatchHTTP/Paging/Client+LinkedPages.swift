// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension Client {
    /// A list whose answers lead on by `Link: <…>; rel="next"` (RFC 8288).
    ///
    /// ```swift
    /// let issues = client.pages(linkedFrom: try client.request(.get, "issues")) { response in
    ///     try JSONDecoder().decode([Issue].self, from: Data(response.body.bytes))
    /// }
    /// ```
    ///
    /// Each page is asked for with the fields of the first request, and through the interceptors. A link to another
    /// origin is not followed: it would take the credential, and the list, to somebody else.
    ///
    /// - Parameters:
    ///   - request: Asks for the first page; `Client.request(_:_:query:fields:body:)` makes it.
    ///   - items: Reads the items of an answer, whatever its status.
    public func pages<Item: Sendable>(
        linkedFrom request: HTTPRequest, reading items: @escaping @Sendable (HTTPResponse) throws -> [Item]
    ) -> Pages<Item, String> {
        Pages(from: request.path) { path in
            var request = request
            request.path = path
            let response = try await respond(to: request)
            let items = try items(response)
            let next = try response.links()["next"].map { try Self.path(of: $0, after: request) }
            return Page(items: items, position: path, next: next)
        }
    }

    /// Where a link leads, at the same origin.
    private static func path(of link: LinkField.Link, after request: HTTPRequest) throws -> String {
        guard let url = link.url(relativeTo: request) else {
            throw HTTPError.malformedMessage("The link to the next page leads nowhere.")
        }
        let target = try HTTPOrigin.split(url.absoluteString)
        guard target.origin == request.origin else { throw HTTPError.pageElsewhere }
        return target.path
    }
}
