// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import LatchIdentity
import LatchServer
import ServedIdentity

/// Requests that each invent new keys of rate limits.
enum KeyFlood {
    private static let count = 500_000

    /// Measures the memory in a process of its own, whose last line it is.
    static func measure(in folder: URL, report: inout Report) async throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--keys", folder.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let used = text.split(separator: "\n").last.flatMap { Double($0) } ?? .infinity
        report.require("memory of 1,000,000 keys, MiB", used, below: 64)
    }

    /// Sends requests with a client id of their own, each from a network of its own, and prints the memory that they cost.
    static func run(in folder: String) async throws {
        let identity = try await Identity(
            configuration: IdentityConfiguration(), storePath: "\(folder)/keys.sqlite", mailer: MemoryMailer())
        identity.adoptIssuer("http://127.0.0.1:1")
        for number in 0..<1000 { try await send(number, to: identity.handler) }
        let before = try ServerProcess.residentMiB(of: getpid())
        for number in 0..<count { try await send(number, to: identity.handler) }
        print(try ServerProcess.residentMiB(of: getpid()) - before)
        await identity.close()
    }

    /// Makes two keys: the network's requests, and the secret of the client in the network.
    private static func send(_ number: Int, to handler: any Handler) async throws {
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:1", path: "/oauth/revoke",
            fields: [.contentType: "application/x-www-form-urlencoded"],
            body: HTTPBody("token=x&client_id=client-\(number)&client_secret=x"))
        request.context[RemoteAddress.self] = "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
        _ = try await handler.respond(to: request)
    }
}
