// SPDX-License-Identifier: Apache-2.0

public import LatchCore

extension Client {
    /// Downloads the answer of a route into a file, which appears with all of the content or not at all.
    ///
    /// ```swift
    /// try await client.download(.get("exports/\(id)"), to: path) { received, all in show(received, of: all) }
    /// ```
    ///
    /// The content is written beside `path` and renamed at the end; whatever goes wrong, also a cancelled task, leaves
    /// what stood there before. A transfer that breaks off is continued where it broke (RFC 9110 §14), if the server
    /// can prove that the content is still the same.
    ///
    /// - Parameters:
    ///   - route: What is downloaded; without a timeout of its own or the client's it may take a day.
    ///   - path: Where the file is to stand; its folder exists.
    ///   - limit: How many bytes are taken at most.
    ///   - continuations: How often a transfer that broke off is continued.
    ///   - progress: Told after each piece how many bytes are there, and how many there will be, if that is known.
    /// - Returns: The response without its content.
    /// - Throws: `HTTPError.unacceptableStatus`, `.contentChanged`, `.tooLarge`, `.fileUnavailable`, and what `perform`
    ///   throws.
    @discardableResult
    public func download(
        _ route: Route<Void>, to path: String, upTo limit: Int = .max, continuations: Int = 3,
        clock: WallClock = .system,
        progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
    ) async throws -> HTTPResponse {
        var route = route.raw().streamed()
        route.timeout = route.timeout ?? timeout ?? .seconds(86_400)
        // RFC 9110 §14.2: a range is one of the encoded content, so the content is asked for as it is.
        route.fields["Accept-Encoding"] = route.fields["Accept-Encoding"] ?? "identity"
        let whole = route
        var response = try await perform(whole)
        try await response.checkSuccess()
        let content = ResumableContent(of: response, left: continuations, clock: clock) { range, validator in
            var rest = whole
            rest.fields["Range"] = range
            rest.fields["If-Range"] = validator
            return try await self.perform(rest)
        }
        response.body = .empty
        do {
            try await HTTPBodyStream(length: content.length, once: { try await content.next() })
                .write(to: path, upTo: limit, progress: progress)
        } catch is CancellationError {
            throw HTTPError.cancelled
        }
        return response
    }
}
