// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP

/// nghttpd in a process of its own: an HTTP/2 server with a certificate that was made for 127.0.0.1 a moment ago.
final class HTTP2Server: Sendable {
    let port: Int
    let certificate: String
    private let folder: URL
    private let process: Process
    private let report: AsyncStream<String>

    static let program = find("nghttpd")
    static let openssl = find("openssl")
    static var isInstalled: Bool { program != nil && openssl != nil }

    /// Serves `files` by their names; nghttpd takes no port 0, so one is drawn.
    init(files: [String: String]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-h2-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let key = folder.appending(path: "key.pem").path
        certificate = folder.appending(path: "certificate.pem").path
        let maker = try Self.process(
            Self.openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            ])
        try maker.run()
        maker.waitUntilExit()
        // Below the range from which the system serves those who ask for any port, as all other tests here do.
        port = Int.random(in: 10_240..<32_768)
        process = try Self.process(
            Self.program, ["-v", "-a", "127.0.0.1", "-d", folder.path, "--echo-upload", "\(port)", key, certificate])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // It says "listen" once it does.
        let reader = output.fileHandleForReading
        var said = ""
        while !said.contains("listen") {
            let data = reader.availableData
            guard !data.isEmpty else { throw HTTPError.offline }
            said += String(decoding: data, as: UTF8.self)
        }
        let (report, writer) = AsyncStream<String>.makeStream()
        self.report = report
        reader.readabilityHandler = { reader in
            let data = reader.availableData
            guard data.isEmpty else { return _ = writer.yield(String(decoding: data, as: UTF8.self)) }
            reader.readabilityHandler = nil
            writer.finish()
        }
    }

    deinit {
        end()
        process.waitUntilExit()
        _ = try? FileManager.default.removeItem(at: folder)
    }

    func request(_ method: HTTPMethod = .get, _ path: String, body: HTTPBody = .empty) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "127.0.0.1:\(port)", path: path, body: body)
    }

    /// Ends the server and counts the connections that it had, from its own report.
    func connectionsInAll() async -> Int {
        end()
        let text = await report.reduce(into: "") { $0 += $1 }
        return Set(text.matches(of: /\[id=([0-9]+)\]/).map(\.output.1)).count
    }

    /// SIGTERM would wait for ever: a child inherits the signals that its parent's thread blocks, and the threads of
    /// Dispatch block all that can be.
    private func end() { kill(process.processIdentifier, SIGKILL) }

    private static func find(_ name: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func process(_ program: String?, _ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = program.map { URL(filePath: $0) }
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        return process
    }
}
