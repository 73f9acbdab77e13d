// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchHTTP
import LatchIdentity
import LatchServer
import Synchronization

extension Handler {
    /// Returns the handler with an interceptor that records spans, if there is an exporter.
    func traced(by exporter: TelemetryExporter?) -> any Handler {
        guard let exporter else { return self }
        return nested(in: [ServerSpanInterceptor(exporter)])
    }
}

extension Server.Configuration {
    /// Returns the configuration with the service manager's sockets, if it has passed any.
    ///
    /// Without a name, it takes the sockets with the name of the first one that is not for operators.
    func inheriting(from manager: Supervisor, named name: String? = nil) -> Self {
        var configuration = self
        let name = name ?? manager.sockets.first { $0.name != "admin" }?.name
        configuration.inheritedSockets = manager.sockets.filter { $0.name == name }.map(\.descriptor)
        return configuration
    }
}

extension Supervisor {
    /// Requires that the server uses every socket it received, because clients of an unused one would wait forever.
    func requireUse(of descriptors: [Int32]) throws(CommandError) {
        guard let unused = sockets.first(where: { !descriptors.contains($0.descriptor) }) else { return }
        throw .failed(
            "The service manager has passed a socket that nothing serves, '\(unused.name)'.",
            hint:
                "Those for clients have one name, and those for operators FileDescriptorName=admin, if admin_listen is set."
        )
    }
}

/// A handler that can be replaced while it serves requests.
final class SwappableHandler: ImmediateHandler {
    private let handler: Mutex<NextHandler>

    init(_ handler: any Handler) { self.handler = Mutex(NextHandler(handler)) }

    /// The handler while the server is starting.
    static var starting: SwappableHandler {
        SwappableHandler(
            ImmediateClosureHandler { _ in
                HTTPResponse(status: .serviceUnavailable, fields: ["Retry-After": "1"])
            })
    }

    /// Replaces the handler for all later requests; requests in flight keep the previous one.
    func replace(with next: any Handler) { handler.withLock { $0 = NextHandler(next) } }

    func begin(_ request: inout HTTPRequest) -> EventualResponse { handler.withLock { $0 }.begin(&request) }
}

/// The handler of the public listener, or of the operators' listener.
///
/// The operators' listener serves only metrics, health, liveness and readiness.
struct ListenerHandler: ImmediateHandler {
    private let next: NextHandler
    private let isForOperators: Bool

    init(next: any Handler, isForOperators: Bool) {
        self.next = NextHandler(next)
        self.isForOperators = isForOperators
    }

    func begin(_ request: inout HTTPRequest) -> EventualResponse {
        guard !isForOperators || ["/metrics", "/healthz", "/livez", "/readyz"].contains(request.pathWithoutQuery) else {
            return .ready(Outcome(HTTPResponse(status: .notFound)))
        }
        request.context[OperatorListener.self] = isForOperators
        return next.begin(&request)
    }
}
