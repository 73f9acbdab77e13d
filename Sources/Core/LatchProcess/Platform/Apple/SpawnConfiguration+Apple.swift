// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

extension SpawnConfiguration {
    /// Returns empty file actions.
    static func newActions() -> posix_spawn_file_actions_t? { nil }

    /// Returns default attributes.
    static func newAttributes() -> posix_spawnattr_t? { nil }

    /// Creates a pipe; `closeAllButStreams()` keeps children from inheriting it.
    static func pipe(_ ends: inout [Int32]) -> Int32 { Darwin.pipe(&ends) }

    /// Closes all descriptors except the three standard streams.
    mutating func closeAllButStreams() -> Int32 {
        flags |= Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
        return 0
    }

    /// Sets the working directory.
    mutating func change(to folder: String) -> Int32 { posix_spawn_file_actions_addchdir_np(&actions, folder) }
}

#endif
