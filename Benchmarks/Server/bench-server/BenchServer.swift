// SPDX-License-Identifier: Apache-2.0

import CBareServer
import Foundation
import LatchHTTP
import LatchServer

/// A benchmark of `Router` and `Server` next to libmicrohttpd in plain C, in separate processes and under the same load.
@main
struct BenchServer {
    static let rounds = 21
    static let seconds = 0.35

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.contains("--serve-bare") { return try await serveBare() }
        if arguments.contains("--serve-ours") { return try await serveOurs() }
        let (bare, ours) = (try Subject("--serve-bare"), try Subject("--serve-ours"))
        var report = Report()
        for connections in [64, 1] {
            var (bareSeries, oursSeries) = (Series(), Series())
            for _ in 0..<rounds {
                try bareSeries.measure(bare, connections)
                try oursSeries.measure(ours, connections)
            }
            report.section("\(connections) connections", bare: bareSeries, ours: oursSeries)
            if connections == 64 {
                // The ratio of each round: other load on the machine affects both halves of a round.
                report.require("requests/s, ours : libmicrohttpd", oursSeries.rateRatio(to: bareSeries), atLeast: 0.7)
                report.note("requests per CPU second, ours : libmicrohttpd", bareSeries.cpu / oursSeries.cpu)
            }
        }
        report.require("start to first response, ms", try startToFirstResponse(), atMost: 100)
        report.note("resident after the load, MiB: libmicrohttpd", bare.residentMiB)
        report.require("resident after the load, MiB: ours", ours.residentMiB, atMost: 60)
        // `finish` may exit, so the processes end first.
        [bare, ours].forEach { $0.end() }
        report.finish(isChecking: arguments.contains("--check"))
    }

    /// Returns the median time of five runs from the start of a process to its first response.
    static func startToFirstResponse() throws -> Double {
        var times: [Double] = []
        for _ in 0..<5 {
            let clock = ContinuousClock()
            let start = clock.now
            let subject = try Subject("--serve-ours")
            while bare_load_run(Int32(subject.port), 1, 0.001).answers == 0 {}
            times.append(start.duration(to: clock.now) / .milliseconds(1))
            subject.end()
        }
        return times.sorted()[times.count / 2]
    }

    static func serveBare() async throws {
        print(bare_server_start())
        fflush(nil)
        for await _ in AsyncStream<Never>.makeStream().stream {}
    }

    static func serveOurs() async throws {
        let server = Server(handler: router())
        print(try await server.start().port)
        fflush(nil)
        try await server.run()
    }

    /// Creates a router with as many routes as a small service has.
    static func router() -> Router {
        var router = Router()
        for name in ["login", "logout", "refresh", "forgot", "reset", "register", "verify", "health"] {
            router.post("/auth/\(name)") { _ in HTTPResponse(status: .noContent) }
        }
        router.get("/users") { _ in HTTPResponse(status: .noContent) }
        router.get("/users/{id}/devices") { _ in HTTPResponse(status: .noContent) }
        router.getImmediately("/users/{id}") { request in
            let id = request.pathParameter("id") ?? ""
            return HTTPResponse(
                status: .ok, fields: [.contentType: "application/json", .cacheControl: "no-store"],
                body: HTTPBody(#"{"id":"\#(id)","name":"Ann","roles":["reader","writer"]}"#))
        }
        return router
    }
}
