// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// Sends requests of the core through a closure that takes Foundation's, such as a URL session's.
package struct FoundationHandler: Handler {
    /// A stream would have to be in memory for it: more than this is refused.
    private static let largestStream = 64 << 20

    private let send: @Sendable (URLRequest, HTTPRequest) async throws -> (Data, URLResponse)

    /// A handler that calls `send` with each request in both forms.
    package init(_ send: @escaping @Sendable (URLRequest, HTTPRequest) async throws -> (Data, URLResponse)) {
        self.send = send
    }

    /// Sends the request, with content that is a stream read into memory.
    ///
    /// - Throws: An `HTTPError` for a `URLError` that the core knows, and whatever else the closure throws.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try request.validateForSending()
        var request = request
        request.body = HTTPBody(try await request.body.collected(upTo: Self.largestStream))
        let (data, response) = try await answer(to: request)
        guard let response = response as? HTTPURLResponse else { throw HTTPError.malformedMessage }
        return HTTPResponse(response, data: data)
    }

    /// Failures in the core's words, so that its retries know them.
    private func answer(to request: HTTPRequest) async throws -> (Data, URLResponse) {
        do {
            return try await send(try URLRequest(core: request), request)
        } catch let error as URLError {
            throw HTTPError(error) ?? error
        }
    }
}

extension HTTPError {
    /// What a URL session throws, where the core has a word for it.
    package init?(_ error: URLError) {
        switch error.code {
        case .timedOut: self = .timeout
        case .cancelled: self = .cancelled
        case .notConnectedToInternet, .networkConnectionLost, .dnsLookupFailed, .cannotFindHost, .cannotConnectToHost,
            .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed, .serverCertificateHasBadDate,
            .cannotLoadFromNetwork, .serverCertificateHasUnknownRoot, .serverCertificateUntrusted,
            .serverCertificateNotYetValid:
            self = .offline
        case .badURL, .unsupportedURL: self = .invalidURL
        default: return nil
        }
    }
}
