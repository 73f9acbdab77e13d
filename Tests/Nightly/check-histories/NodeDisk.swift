// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess

/// The disk of servers on one machine, whose syncs may take longer for a while (Tests/Peers/Operations/faults.c).
final class NodeDisk: Sendable {
    /// The variables of a process with this disk.
    let environment: [String: String]
    private let file: URL
    /// The size of `struct faults`, which has seven numbers.
    private static let byteCount = 7 * MemoryLayout<Int64>.size

    /// Compiles the library into a folder, with the file from which processes read how slow the disk is.
    init(in folder: String) async throws {
        let library = try await PreloadedLibrary.compile("Operations/faults", in: folder)
        let path = "\(folder)/faults"
        environment = ["LD_PRELOAD": library, "FAULTS_FILE": path]
        file = URL(filePath: path)
        try Data(count: Self.byteCount).write(to: file)
        try await requireEffect(of: library)
    }

    /// Makes each sync take some milliseconds longer for a while, also in processes that run: the bytes change in their place.
    func slowDown(by milliseconds: Int, for time: Duration) async throws {
        try set(milliseconds)
        try await Task.sleep(for: time)
        try set(0)
    }

    private func requireEffect(of library: String) async throws {
        try set(200)
        let begin = ContinuousClock.now
        let ending = try await ChildProcess.run("/usr/bin/env", ["sync", file.path], environment: environment).ending
        try set(0)
        guard ending == .exited(0), ContinuousClock.now - begin >= .milliseconds(200) else {
            throw PreloadedLibrary.Failure(description: "\(library) does not make a sync slow")
        }
    }

    private func set(_ milliseconds: Int) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: withUnsafeBytes(of: Int64(milliseconds)) { Array($0) })
        try handle.close()
    }
}
