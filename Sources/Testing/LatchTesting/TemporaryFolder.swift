// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// Runs `body` with a new folder, which is removed afterwards.
public func withTemporaryFolder<Result: Sendable>(
    _ body: (_ path: String) async throws -> Result
) async throws -> Result {
    let path = FileManager.default.temporaryDirectory.path + "/latch-" + RandomSource.system.identifier()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(path)) } catch { outcome = .failure(error) }
    try await removeFolder(path)
    return try outcome.get()
}

/// Removes a folder; if remaining tasks of the body add or remove a file, one attempt fails and the next may succeed.
private func removeFolder(_ path: String) async throws {
    for _ in 0..<100 {
        do { return try FileManager.default.removeItem(atPath: path) } catch { await Task.yield() }
    }
    try FileManager.default.removeItem(atPath: path)
}
