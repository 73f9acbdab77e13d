// SPDX-License-Identifier: Apache-2.0

import Baselines
import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchRPC
import LatchServer

/// The cost of a call over loopback in each protocol, beside the same without a socket and the clients of grpcio and
/// connectrpc.
///
///     bench-calls [--check] [--syscalls]
///
/// The blocks of memory are counted and not timed, so that their limit is what was written down before.
@main
enum BenchCalls {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "serve" { return try await serve() }
        if arguments.first == "calls" { return try await call(Array(arguments)) }
        var report = CallReport()
        let server = try await served()
        let url = "http://127.0.0.1:\(server.port)"
        try await overLoopback(url, &report)
        try await inMemory(&report)
        try await peers(&report)
        if arguments.contains("--syscalls") { try await systemCalls(url) }
        server.process.terminate()
        _ = await server.process.end()
        report.finish(isChecking: arguments.contains("--check"))
    }

    private static func overLoopback(_ url: String, _ report: inout CallReport) async throws {
        print("over loopback, HTTP/1.1, the server in a process of its own")
        for subject in try CallSubject.all(url) {
            let one = try await CallSample(of: 2000) { try await subject.unary($0) }
            report.line("\(subject.name), unary", one, unit: "calls/s", baseline: "\(subject.name)-unary")
            report.rates[subject.name] = one.rate
            let many = try await CallSample(rounds: 5, of: 6400) { try await subject.unary($0, atATime: 64) }
            report.line("\(subject.name), 64 at a time", many, unit: "calls/s")
            let stream = try await CallSample(rounds: 5, of: 20_000) { try await subject.streamed($0) }
            report.line(
                "\(subject.name), streams of 100", stream, unit: "messages/s", baseline: "\(subject.name)-stream")
            report.streams[subject.name] = stream.rate
        }
    }

    private static func inMemory(_ report: inout CallReport) async throws {
        print("client and server in one process, without a socket")
        for subject in try CallSubject.all("http://localhost", through: CallMethods.service) {
            let one = try await CallSample(of: 5000) { try await subject.unary($0) }
            report.line("\(subject.name), unary", one, unit: "calls/s", baseline: "\(subject.name)-memory-unary")
            let stream = try await CallSample(rounds: 5, of: 50_000) { try await subject.streamed($0) }
            report.line(
                "\(subject.name), streams of 100", stream, unit: "messages/s",
                baseline: "\(subject.name)-memory-stream")
        }
    }

    /// The peers in Python are what a caller has today; the limits say that we are not slower.
    private static func peers(_ report: inout CallReport) async throws {
        print("peers")
        for peer in CallPeer.all {
            guard let rates = try await peer.rates() else {
                print("  \(peer.name) could not be had (Scripts/fetch-peers rpc)")
                continue
            }
            for (name, value) in rates.objectValue ?? [:] {
                print(String(format: "  %@ %@: %.0f/s", peer.name, name, value.doubleValue ?? 0))
            }
            let ours = peer.name == "grpcio" ? "grpc" : "connect"
            report.compare("unary, \(ours) : \(peer.name)", report.rates[ours], rates["unary"], atLeast: 1)
            report.compare("streams, \(ours) : \(peer.name)", report.streams[ours], rates["stream"], atLeast: 1)
        }
    }

    // MARK: Roles

    private static func serve() async throws {
        var router = Router()
        let service = CallMethods.service
        router.on(service.routes, handledBy: service)
        let server = Server(handler: router)
        let port = try await server.start().port
        FileHandle.standardOutput.write(Data("\(port)\n".utf8))
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
    }

    /// `calls NAME URL COUNT` makes calls and nothing else, for those who look from outside (strace, perf).
    private static func call(_ arguments: [String]) async throws {
        guard arguments.count == 4, let count = Int(arguments[3]) else { return }
        for subject in try CallSubject.all(arguments[2]) where subject.name == arguments[1] {
            try await subject.unary(count)
        }
    }

    private static func served() async throws -> (process: ChildProcess, port: Int) {
        let process = try ChildProcess.start(program, ["serve"])
        guard let port = await process.line().flatMap({ Int($0) }) else { throw HTTPError.offline }
        return (process, port)
    }

    /// Calls of the system for each call, by what strace counts for 3,000 calls more than for 1,000.
    private static func systemCalls(_ url: String) async throws {
        print("calls of the system on the client's side, by strace")
        for (name, _, _) in CallSubject.styles {
            let (few, many) = (try await traced(name, url, 1000), try await traced(name, url, 3000))
            guard let few, let many else { return print("  strace could not be had") }
            print(String(format: "  %@, unary: %.2f", name, Double(many - few) / 2000))
        }
    }

    private static func traced(_ name: String, _ url: String, _ count: Int) async throws -> Int? {
        let file = FileManager.default.temporaryDirectory.appending(path: "latch-calls-\(UUID().uuidString)")
        let (ending, _) = try await ChildProcess.run(
            "/usr/bin/env", ["strace", "-f", "-c", "-o", file.path, program, "calls", name, url, String(count)])
        guard ending == .exited(0), let table = FileManager.default.contents(atPath: file.path) else { return nil }
        try FileManager.default.removeItem(at: file)
        let total = String(decoding: table, as: UTF8.self).split(separator: "\n").last { $0.hasSuffix("total") }
        // Share, seconds, microseconds for each, calls, and errors where there were any.
        guard let words = total?.split(separator: " "), words.count > 4 else { return nil }
        return Int(words[3])
    }

    private static var program: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    }
}
