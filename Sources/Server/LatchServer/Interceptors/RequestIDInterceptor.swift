// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// Gives each request an identifier, which comes back in `X-Request-Id` and which logs can name.
///
/// An identifier that the client sends is kept where it is harmless: up to 64 letters, digits, `-`, `_` and `.`. So it
/// can be written to a log and into a field as it is.
public struct RequestIDInterceptor: Interceptor {
    /// Called where the client sent none that is harmless.
    private let make: @Sendable () -> String

    /// An interceptor that makes identifiers by `make`; by default they are 128 random bits in hexadecimal.
    public init(making make: @escaping @Sendable () -> String = Self.random) { self.make = make }

    /// Puts the identifier into the request and into the response.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let sent = request.fields[.requestID]
        let id = sent.flatMap { Self.isHarmless($0) ? $0 : nil } ?? make()
        var request = request
        request.fields[.requestID] = id
        var response = try await next.respond(to: request)
        response.fields[.requestID] = id
        return response
    }

    /// Nothing that ends a line, a field, or a word of a log.
    private static func isHarmless(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// 128 random bits in hexadecimal.
    public static let random: @Sendable () -> String = {
        var id = ""
        for word in [UInt64.random(in: .min ... .max), .random(in: .min ... .max)] {
            let digits = String(word, radix: 16)
            id += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return id
    }
}
