// SPDX-License-Identifier: Apache-2.0

import Foundation

/// OpenSSL's own measure of an algorithm.
struct Peer {
    private let arguments: [String]

    /// Signatures of an algorithm, made and verified.
    static func signatures(_ algorithm: String) -> Peer { Peer(arguments: ["-seconds", "1", algorithm]) }

    /// Codes of HMAC with SHA-256 over so many bytes.
    static func codes(bytes: Int) -> Peer {
        Peer(arguments: ["-seconds", "1", "-bytes", "\(bytes)", "-hmac", "sha256"])
    }

    /// Made and verified per second of processor time.
    func measure() throws -> (sign: Double, verify: Double) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl", "speed", "-mr"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard let figures = Self.figures(in: text) else { throw BenchError.noFigures(arguments.joined(separator: " ")) }
        return figures
    }

    /// `+F4:3:256:71955.55:24420.00` is a table, a row, bits, signatures and verifications per second; then, for Ed25519, a
    /// name.
    ///
    /// `+F:22:hmac(sha256):1097539.34` ends with thousands of bytes, or bytes, of codes per second, after `+H:365`.
    private static func figures(in text: String) -> (sign: Double, verify: Double)? {
        var size: Double?
        for line in text.split(separator: "\n") where line.hasPrefix("+") {
            let cells = line.split(separator: ":")
            if cells[0] == "+H" { size = cells.last.flatMap { Double($0) } }
            guard cells[0].hasPrefix("+F") else { continue }
            if cells[0] == "+F", let size, let bytes = cells.last.flatMap({ Double($0) }) {
                return (bytes / size, bytes / size)
            }
            let figures = cells.dropFirst(3).compactMap { Double($0) }
            if figures.count >= 2 { return (figures[0], figures[1]) }
        }
        return nil
    }
}

/// What ends the benchmark.
enum BenchError: Error {
    case noFigures(String)
    case wrongAnswer(String)
}
