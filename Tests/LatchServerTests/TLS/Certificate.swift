// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess
import LatchServer

/// A self-signed certificate for 127.0.0.1, created by the openssl command in a temporary folder.
final class Certificate: Sendable {
    let folder: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await Self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
            "-keyout", keyPath, "-out", certificatePath,
        ])
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    var certificatePath: String { folder.appending(path: "cert.pem").path }
    var keyPath: String { folder.appending(path: "key.pem").path }

    func tls() throws -> Server.TLS {
        Server.TLS(certificate: try Self.bytes(certificatePath), key: try Self.bytes(keyPath))
    }

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    @discardableResult
    static func openssl(_ arguments: [String]) async throws -> String {
        let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["openssl"] + arguments)
        guard ending == .exited(0) else { throw CocoaError(.executableLoad) }
        return String(decoding: output, as: UTF8.self)
    }
}
