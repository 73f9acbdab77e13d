// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP
import LatchRPC

/// The query of a call by GET, left in the context by who gets the request first.
public struct CallQuery: HTTPContextKey {
    /// A request that is not a GET.
    public static let defaultValue: [Header]? = nil
}

/// Leaves the query of a GET in its context, where a method finds it.
public struct CallQueryInterceptor: Interceptor {
    /// An interceptor without state.
    public init() {}

    /// Notes the query, and asks on.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard request.method == .get else { return try await next.respond(to: request) }
        var request = request
        request.context[CallQuery.self] = request.rawQueryPairs.map { pair in
            let text = PercentEncoding.decode(pair.value.utf8, plusIsSpace: true)
            return Header(name: String(pair.name), value: [String(decoding: text, as: UTF8.self)])
        }
        return try await next.respond(to: request)
    }
}

extension CallContext {
    /// The call as the method received it.
    func info(_ requests: [some Message]) throws -> ConformancePayload.RequestInfo {
        ConformancePayload.RequestInfo(
            requestHeaders: metadata.headers, timeoutMs: deadline.map { Int64($0.remaining / .milliseconds(1)) },
            requests: try requests.map { try ProtoAny(packing: $0) },
            connectGetInfo: http[CallQuery.self].map { ConformancePayload.ConnectGetInfo(queryParams: $0) })
    }
}
