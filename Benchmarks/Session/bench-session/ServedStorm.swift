// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import Synchronization

/// Tasks whose credential is refused by a real server: each sends its request, hears 401, and sends it again after the
/// one refresh that all of them share.
struct ServedStorm {
    private struct Happenings {
        var refreshes = 0
        var refusals = 0
        var firstRefusal: ContinuousClock.Instant?
    }

    private let happenings = Shared()

    /// Prints what came of `count` tasks; whether there was one refresh.
    func run(of count: Int) async throws -> Bool {
        let server = Server(handler: ClosureHandler { [happenings] in await Self.answer($0, happenings) })
        let address = try await server.start()
        let transport = CurlTransport()
        let stale = Tokens(access: "old", refresh: "r0", expiry: Date(timeIntervalSinceNow: 900))
        let session = Session(store: InMemoryTokenStore(stale)) { _ in
            let refresh = HTTPRequest(
                method: .post, scheme: "http", authority: address.authority, path: "/refresh")
            guard try await transport.respond(to: refresh).status == .ok else { throw AuthError.missingToken }
            return Tokens(access: "new", refresh: "r1", expiry: Date(timeIntervalSinceNow: 900))
        }
        try await session.restore()
        let client = transport.intercepted(by: [SessionInterceptor(session, for: .host(address.host))])
        let request = HTTPRequest(scheme: "http", authority: address.authority, path: "/")
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    guard try await client.respond(to: request).status == .noContent else {
                        throw HTTPError.unacceptableStatus
                    }
                }
            }
            try await group.waitForAll()
        }
        let end = ContinuousClock.now
        await server.shutdown(grace: .seconds(5))
        return report(count, end)
    }

    private func report(_ count: Int, _ end: ContinuousClock.Instant) -> Bool {
        let seen = happenings.value.withLock { $0 }
        let seconds = seen.firstRefusal.map { (end - $0).inSeconds } ?? 0
        print(
            String(
                format:
                    "%d tasks, refused by a server: %d refresh, %d refusals, %.0f ms from the first 401 to the last success",
                count, seen.refreshes, seen.refusals, seconds * 1_000))
        return seen.refreshes == 1
    }

    private static func answer(_ request: HTTPRequest, _ happenings: Shared) async -> HTTPResponse {
        if request.path == "/refresh" {
            happenings.value.withLock { $0.refreshes += 1 }
            return HTTPResponse(status: .ok)
        }
        guard request.fields[.authorization] != "Bearer new" else { return HTTPResponse(status: .noContent) }
        happenings.value.withLock { seen in
            seen.refusals += 1
            if seen.firstRefusal == nil { seen.firstRefusal = .now }
        }
        return HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Bearer"])
    }

    /// Written by the server's loops.
    private final class Shared: Sendable {
        let value = Mutex(Happenings())
    }
}
