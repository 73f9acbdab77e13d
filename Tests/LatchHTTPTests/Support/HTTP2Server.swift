// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import Testing

/// nghttpd in a process of its own: an HTTP/2 server with a certificate that was made for 127.0.0.1 a moment ago.
final class HTTP2Server: Sendable {
    let port: Int
    let certificate: String
    private let folder: URL
    private let process: ChildProcess
    /// The rest of the output; a process whose output is not read would block.
    private let report: Task<[UInt8], Never>

    static let program = find("nghttpd")
    static let openssl = find("openssl")
    static var isInstalled: Bool { program != nil && openssl != nil }

    let scheme: String

    /// Serves `files` by their names.
    ///
    /// - Parameters:
    ///   - isPlain: Whether it speaks HTTP/2 without TLS, from the first byte.
    ///   - trailer: A field that follows each content, such as `name: value`.
    init(files: [String: String], isPlain: Bool = false, trailer: String? = nil) async throws {
        scheme = isPlain ? "http" : "https"
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-h2-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let key = folder.appending(path: "key.pem").path
        certificate = folder.appending(path: "certificate.pem").path
        let made = try await ChildProcess.run(
            try #require(Self.openssl),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            ])
        try #require(made.ending == .exited(0))
        let (process, port) = try await Self.serve(
            folder.path, (isPlain ? ["--no-tls"] : []) + (trailer.map { ["--trailer=\($0)"] } ?? []),
            isPlain ? [] : [key, certificate])
        (self.process, self.port) = (process, port)
        report = Task { await process.rest() }
    }

    /// Starts nghttpd at a port that is free: it takes no 0, so one is drawn until nobody else has it.
    private static func serve(
        _ folder: String, _ options: [String], _ identity: [String]
    ) async throws -> (ChildProcess, port: Int) {
        for _ in 0..<20 {
            // Below the range from which the system serves those who ask for any port, as all other tests here do.
            let port = Int.random(in: 10_240..<32_768)
            let process = try ChildProcess.start(
                try #require(program),
                ["-v", "-a", "127.0.0.1", "-d", folder, "--echo-upload"] + options + ["\(port)"] + identity)
            // It says "listen" once it does, and ends where it cannot.
            while let line = await process.line() {
                if line.contains("listen") { return (process, port) }
            }
        }
        throw HTTPError.offline
    }

    deinit {
        process.kill()
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    func request(_ method: HTTPMethod = .get, _ path: String, body: HTTPBody = .empty) -> HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: "127.0.0.1:\(port)", path: path, body: body)
    }

    /// Stops the process, whose connections stay open and are silent.
    func pause() { process.send(SIGSTOP) }

    /// Lets the process go on.
    func goOn() { process.send(SIGCONT) }

    /// Ends the server and counts the connections that it had, from its own report.
    func connectionsInAll() async -> Int {
        process.kill()
        let text = String(decoding: await report.value, as: UTF8.self)
        return Set(text.matches(of: /\[id=([0-9]+)\]/).map(\.output.1)).count
    }

    private static func find(_ name: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
