// SPDX-License-Identifier: Apache-2.0

import CBareServer
import Foundation
import LatchServer

/// A server in a process of its own, so that its processor time can be measured separately.
final class Subject {
    private let process = Process()
    let port: Int

    /// Starts this program with `argument`, and waits until it prints its port.
    init(_ argument: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [argument]
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)), port > 0 else {
            process.terminate()
            throw ServerError.outOfResources
        }
        self.port = port
    }

    var cpuMicroseconds: Double { bare_cpu_microseconds(process.processIdentifier) }

    var residentMiB: Double { Double(bare_resident_kib(process.processIdentifier)) / 1024 }

    deinit { end() }

    func end() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
