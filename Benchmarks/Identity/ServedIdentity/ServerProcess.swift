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

    /// The time that a thread has computed, and that it was ready and waited for a processor, in milliseconds.
    package struct ThreadTimes: Sendable {
        package var computing = 0.0, waiting = 0.0

        /// Returns the times since an earlier reading.
        package func since(_ earlier: ThreadTimes) -> ThreadTimes {
            ThreadTimes(computing: computing - earlier.computing, waiting: waiting - earlier.waiting)
        }
    }

    /// Runs the server process until its standard input ends.
    ///
    /// - Parameter port: The port, for a process that takes the place of another; 0 for any.
    package static func run(
        in folder: String, configuration: IdentityConfiguration = IdentityConfiguration(), port: Int = 0
    ) async throws {
        let mailer: any Mailer = configuration.smtpURL == nil ? MemoryMailer() : try configuration.mailer()
        let identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/served.sqlite", mailer: mailer)
        // What `latch serve` sets.
        var limits = Server.Configuration(port: port)
        limits.contentLimits = [Identity.callPath: 4 << 20]
        let server = Server(handler: identity.handler, configuration: limits)
        let address = try await server.start()
        identity.adoptIssuer(address.url)
        try FileHandle.standardOutput.write(contentsOf: Data("\(address.url)\n".utf8))
        while readLine() != nil {}
        await server.shutdown(grace: .seconds(2))
        await identity.close()
    }

    package static func start(in folder: URL, arguments: [String] = []) throws -> ServerProcess {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--serve", folder.path] + arguments
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

    /// Returns the number of open descriptors of the process.
    package func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Returns the times of the thread that serves the connections.
    package func loopTimes() -> ThreadTimes {
        let tasks = "/proc/\(process.processIdentifier)/task"
        for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
            guard (try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)) == "latch-server\n",
                let text = try? String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8)
            else { continue }
            let numbers = text.split(separator: " ").compactMap { Double($0) }
            return ThreadTimes(computing: numbers[0] / 1e6, waiting: numbers[1] / 1e6)
        }
        return ThreadTimes()
    }

    /// Returns the processor time of the process in seconds.
    package func processorSeconds() throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Ends the process as a failure of the machine would, without a chance to write anything.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    package func stop() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
