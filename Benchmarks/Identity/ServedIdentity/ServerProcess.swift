// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LatchIdentity
import LatchServer

/// The server process under measurement: the benchmark's own program, started again with `--serve FOLDER`.
package struct ServerProcess: Sendable {
    package let url: String
    package let startMilliseconds: Double
    private let process: Process
    private let input: Pipe

    /// Runs the server process until its standard input ends.
    package static func run(
        in folder: String, configuration: IdentityConfiguration = IdentityConfiguration()
    ) async throws {
        let identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/served.sqlite", mailer: MemoryMailer())
        // What `latch serve` sets.
        var limits = Server.Configuration()
        limits.contentLimits = [Identity.callPath: 4 << 20]
        let server = Server(handler: identity.handler, configuration: limits)
        let address = try await server.start()
        identity.adoptIssuer(address.url)
        try FileHandle.standardOutput.write(contentsOf: Data("\(address.url)\n".utf8))
        while readLine() != nil {}
        await server.shutdown(grace: .seconds(2))
        await identity.close()
    }

    package static func start(in folder: URL) throws -> ServerProcess {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--serve", folder.path]
        process.standardInput = input
        process.standardOutput = output
        let begin = ContinuousClock.now
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let url = line.split(separator: "\n").first.map(String.init) ?? ""
        return ServerProcess(
            url: url, startMilliseconds: (ContinuousClock.now - begin) / .milliseconds(1), process: process,
            input: input)
    }

    /// Returns the resident memory of the process in MiB.
    package func residentMiB() throws -> Double { try Self.residentMiB(of: process.processIdentifier) }

    /// Returns the resident memory of any process in MiB.
    package static func residentMiB(of process: Int32) throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }

    /// Returns the processor time of the process in seconds.
    package func processorSeconds() throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    package func stop() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
