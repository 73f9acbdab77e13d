// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchCore

/// Runs `body` with a new folder, which is removed afterwards.
public func withTemporaryFolder<Result: Sendable>(
    _ body: (_ path: String) async throws -> Result
) async throws -> Result {
    let path = FileManager.default.temporaryDirectory.path + "/latch-" + RandomSource.system.identifier()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body(path)) } catch { outcome = .failure(error) }
    try FileManager.default.removeItem(atPath: path)
    return try outcome.get()
}
