// SPDX-License-Identifier: Apache-2.0

import Foundation

/// OpenSSL's own measure of an algorithm.
struct Peer {
    let algorithm: String

    /// Signatures made and verified per second of processor time.
    func measure() throws -> (sign: Double, verify: Double) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl", "speed", "-mr", "-seconds", "1", algorithm]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        // +F4:3:256:71955.55:24420.00 - table, row, bits, signatures and verifications per second; then, for Ed25519, a name.
        for line in text.split(separator: "\n") where line.hasPrefix("+F") {
            let figures = line.split(separator: ":").dropFirst(3).compactMap { Double($0) }
            if figures.count >= 2 { return (figures[0], figures[1]) }
        }
        throw BenchError.noFigures(algorithm)
    }
}

/// What ends the benchmark.
enum BenchError: Error {
    case noFigures(String)
    case wrongAnswer(String)
}
