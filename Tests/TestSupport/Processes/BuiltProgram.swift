// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The programs of this package, as they were built with the tests.
public enum BuiltProgram {
    /// The program of that name that was built beside the running test bundle.
    ///
    /// - Throws: `ServedLatch.Failure` where there is none.
    public static func path(_ name: String) throws -> URL {
        let tests = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        let candidates = [tests.deletingLastPathComponent(), Bundle.main.bundleURL]
        let program = candidates.map { $0.appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let program else { throw ServedLatch.Failure(description: "\(name) was not built beside \(tests.path)") }
        return program
    }
}
