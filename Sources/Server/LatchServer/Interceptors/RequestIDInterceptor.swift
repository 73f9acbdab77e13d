// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// An interceptor that assigns an identifier to each request, which the response repeats in `X-Request-Id`.
///
/// An identifier of the client is kept if it is the only one, and safe in logs and fields. It is safe with up to 64
/// letters, digits, `-`, `_` and `.`. If several such interceptors surround a handler, the outermost one assigns the
/// identifier.
public struct RequestIDInterceptor: Interceptor, Filter {
    /// Creates an identifier if the client did not send a safe one.
    private let make: @Sendable () -> String

    /// Creates an interceptor that calls `make` for identifiers; by default 128 unpredictable bits in hexadecimal.
    public init(making make: (@Sendable () -> String)? = nil) { self.make = make ?? RequestNumbers.source.identifier }

    /// Sets the identifier in the request and in the response.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await response(to: request, next: next)
    }

    @usableFromInline
    package func filter(_ request: inout HTTPRequest) -> Filtering<String?> {
        let sent = request.fields.onlyValue(of: .requestID)
        // A request that was derived from another one has the same context, but separate fields.
        if let sent, sent == request.context.requestID { return .proceed(nil) }
        let id = sent.flatMap { Self.isSafe($0) ? $0 : nil } ?? make()
        if id != sent { request.fields[.requestID] = id }
        request.context.requestID = id
        return .proceed(id)
    }

    @usableFromInline
    package func complete(_ outcome: inout Outcome, _ id: consuming String?) {
        if let id { outcome.response.fields[.requestID] = id }
    }

    /// Whether an identifier can neither end a log line or a field nor be mistaken for another word in it.
    private static func isSafe(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && allBytes(of: id) {
                isDigit($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
            }
    }
}

/// Numbers that differ in all processes and do not reveal how many there were: keyed digests of a counter.
///
/// A random number for each request would cost a system call for each 64 bits.
private enum RequestNumbers {
    private static let secret = UInt64.random(in: 0 ... .max)
    private static let count = Atomic<UInt64>(0)

    static let source = RandomSource {
        var hasher = Hasher()
        hasher.combine(secret)
        hasher.combine(count.wrappingAdd(1, ordering: .relaxed).newValue)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
