// SPDX-License-Identifier: Apache-2.0

/// Waits until a condition holds, in turn with all other tasks.
///
/// - Throws: `CancellationError` when the test's time limit has passed, so that a test which waits in vain ends.
public nonisolated(nonsending) func eventually(
    _ condition: nonisolated(nonsending) () async throws -> Bool
) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
