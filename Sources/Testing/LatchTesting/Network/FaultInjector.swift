// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP
import Synchronization

/// An interceptor that makes requests fail as networks and servers do.
///
/// ```swift
/// let faults = FaultInjector()
/// let client = Client(baseURL: url, transport: transport, interceptors: [faults])
/// faults.inject(.lostResponse, into: 1) { $0.path == "/api/auth/refresh-token" }
/// ```
///
/// Put it last, next to the transport. Interceptors before it then see the fault like a fault of a network.
public final class FaultInjector: Interceptor {
    /// A fault of a request.
    public struct Fault: Sendable {
        enum Kind: Sendable {
            case offline, lostResponse, duplicated
            case response(HTTPResponse)
            case held(Gate)
        }

        let kind: Kind

        /// No connection: the server does not get the request.
        public static let offline = Fault(kind: .offline)
        /// A connection that breaks after the server has processed the request, so that the response is lost.
        public static let lostResponse = Fault(kind: .lostResponse)
        /// A request that the server receives twice, as from a proxy that repeats it; the second response is returned.
        public static let duplicated = Fault(kind: .duplicated)

        /// A response of a system in front of the server, such as a gateway; the server does not receive the request.
        public static func response(_ response: HTTPResponse) -> Fault { Fault(kind: .response(response)) }

        /// A request that waits at a gate, and then reaches the server.
        public static func held(by gate: Gate) -> Fault { Fault(kind: .held(gate)) }
    }

    private struct Plan {
        let fault: Fault
        var count: Int
        let isMeant: @Sendable (HTTPRequest) -> Bool
    }

    private struct State {
        var plans: [Plan] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Creates an interceptor without faults.
    public init() {}

    /// Injects a fault into the next requests; if a request has several faults, the first one applies.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - count: The number of requests; `.max` for all of them, until ``clear()``.
    ///   - isMeant: Whether the fault applies to a request.
    public func inject(
        _ fault: Fault, into count: Int = .max, where isMeant: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) {
        state.withLock { $0.plans.append(Plan(fault: fault, count: count, isMeant: isMeant)) }
    }

    /// Removes all planned faults.
    public func clear() { state.withLock { $0.plans = [] } }

    /// The number of requests that had a fault.
    public var count: Int { state.withLock { $0.count } }

    /// Passes the request on, unless a fault is planned for it.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        switch fault(of: request)?.kind {
        case nil: return try await next.respond(to: request)
        case .offline:
            var error = HTTPError.offline
            error.isUnsent = true
            throw error
        case .lostResponse:
            _ = try await next.respond(to: request)
            throw HTTPError.offline
        case .duplicated:
            _ = try await next.respond(to: request)
            return try await next.respond(to: request)
        case .response(let response): return response
        case .held(let gate):
            await gate.pass()
            return try await next.respond(to: request)
        }
    }

    private func fault(of request: HTTPRequest) -> Fault? {
        state.withLock { state in
            guard let index = state.plans.firstIndex(where: { $0.count > 0 && $0.isMeant(request) }) else { return nil }
            state.plans[index].count -= 1
            state.count += 1
            return state.plans[index].fault
        }
    }
}
