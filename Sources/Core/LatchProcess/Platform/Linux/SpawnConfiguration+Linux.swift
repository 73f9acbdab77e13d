// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchSpawn
import Glibc

extension SpawnConfiguration {
    /// Returns empty file actions.
    static func newActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }

    /// Returns default attributes.
    static func newAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }

    /// Creates a pipe whose ends no process inherits.
    static func pipe(_ ends: inout [Int32]) -> Int32 { pipe2(&ends, O_CLOEXEC) }

    /// Closes all descriptors except the three standard streams.
    mutating func closeAllButStreams() -> Int32 { posix_spawn_file_actions_addclosefrom_np(&actions, 3) }

    /// Sets the working directory.
    mutating func change(to folder: String) -> Int32 { posix_spawn_file_actions_addchdir_np(&actions, folder) }
}

#endif
