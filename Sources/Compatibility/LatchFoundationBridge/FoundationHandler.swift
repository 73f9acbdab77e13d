// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// A handler that sends requests through a closure over Foundation's types, such as a URL session's.
package struct FoundationHandler: Handler {
    /// The maximum size of a stream, because a stream is read into memory.
    private static let maximumStreamBytes = 64 << 20

    private let send: @Sendable (URLRequest, HTTPRequest) async throws -> (Data, URLResponse)

    /// Creates a handler that calls `send` with each request in both forms.
    package init(_ send: @escaping @Sendable (URLRequest, HTTPRequest) async throws -> (Data, URLResponse)) {
        self.send = send
    }

    /// Sends the request; a stream is first read into memory.
    ///
    /// - Throws: The `HTTPError` that corresponds to a `URLError`, and any other error of the closure.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try request.validateForSending()
        var request = request
        request.body = HTTPBody(try await request.body.collected(upTo: Self.maximumStreamBytes))
        let (data, response) = try await data(for: request)
        guard let response = response as? HTTPURLResponse else { throw HTTPError.malformedMessage }
        return HTTPResponse(response, data: data)
    }

    /// Converts errors, so that LatchHTTP's retries recognize them.
    private func data(for request: HTTPRequest) async throws -> (Data, URLResponse) {
        do {
            return try await send(try URLRequest(core: request), request)
        } catch let error as URLError {
            throw HTTPError(error) ?? error
        }
    }
}

extension HTTPError {
    /// Converts an error of a URL session; nil if `HTTPError` has no equivalent.
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
