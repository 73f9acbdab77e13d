// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An interceptor that assigns an identifier to each request, which the response repeats in `X-Request-Id`.
///
/// An identifier of the client is kept if it is safe in logs and fields: up to 64 letters, digits, `-`, `_` and `.`.
public struct RequestIDInterceptor: Interceptor {
    /// Creates an identifier when the client sent no safe one.
    private let make: @Sendable () -> String

    /// Creates an interceptor that calls `make` for identifiers; by default they are 128 random bits in hexadecimal.
    public init(making make: (@Sendable () -> String)? = nil) {
        self.make = make ?? { RandomSource.system.identifier() }
    }

    /// Sets the identifier in the request and in the response.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let sent = request.fields[.requestID]
        let id = sent.flatMap { Self.isSafe($0) ? $0 : nil } ?? make()
        var request = request
        request.fields[.requestID] = id
        var response = try await next.respond(to: request)
        response.fields[.requestID] = id
        return response
    }

    /// Whether an identifier can neither end a log line or a field nor be mistaken for another word of it.
    private static func isSafe(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                isDigit($0) || (0x61...0x7A).contains(asciiLowercased($0)) || "-._".utf8.contains($0)
            }
    }
}
